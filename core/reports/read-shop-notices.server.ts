import { eq } from "drizzle-orm";
import { mailMessages } from "#db/tables/operations.ts";
import { requireAdmin } from "../authorise.ts";
import { readStoreSettings } from "../catalog/store-settings.server.ts";
import type { Context } from "../context.ts";
import { type MoneyNotices, readMoneyNotices } from "./read-money-notices.server.ts";

/** What the admin should know about the money, and about how the shop is set up. */
export interface ShopNotices {
  money: MoneyNotices;
  /** Mails nobody will get until a mail server is set up; 0 where there is one. */
  mailsWaiting: number;
  /** Buyers are sent to a number of the demo's, which nobody answers. */
  demoSupportNumbers: boolean;
}

/** No number in India goes on with zeros after the country code, so nobody is called by those of the demo. */
const DEMO_NUMBER = /^\+?910{9}\d$/;

/** @throws DomainError 'unauthenticated', 'forbidden' */
export async function readShopNotices(ctx: Context): Promise<ShopNotices> {
  requireAdmin(ctx);
  const [money, mailsWaiting, { supportPhones }] = await Promise.all([
    readMoneyNotices(ctx),
    ctx.ports.mailTransport === null ? ctx.db.$count(mailMessages, eq(mailMessages.status, "queued")) : 0,
    readStoreSettings(ctx),
  ]);
  const demoSupportNumbers = supportPhones.some(({ number }) => DEMO_NUMBER.test(number));
  return { money, mailsWaiting, demoSupportNumbers };
}
