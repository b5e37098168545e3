import { eq } from "drizzle-orm";
import { mailMessages } from "#db/tables/operations.ts";
import { requireAdmin } from "../authorise.ts";
import { readStoreSettings } from "../catalog/store-settings.server.ts";
import type { Context } from "../context.ts";
import type { PaymentNotices } from "./payment-notices.ts";
import { readPaymentNotices } from "./read-payment-notices.server.ts";

/** Problems with payments and with the settings of the shop that the admin should know about. */
export interface AdminNotices {
  payments: PaymentNotices;
  /** Queued mails that are not sent because no mail server is set; 0 with a mail server. */
  mailsWaiting: number;
  /** The shop shows a placeholder support number of the demo catalogue. */
  demoSupportNumbers: boolean;
}

/** The demo's numbers have zeros after India's country code. No real number has. */
const DEMO_NUMBER = /^\+?910{9}\d$/;

/** @throws DomainError 'unauthenticated', 'forbidden' */
export async function readAdminNotices(ctx: Context): Promise<AdminNotices> {
  requireAdmin(ctx);
  const [payments, mailsWaiting, { supportPhones }] = await Promise.all([
    readPaymentNotices(ctx),
    ctx.ports.mailTransport === null ? ctx.db.$count(mailMessages, eq(mailMessages.status, "queued")) : 0,
    readStoreSettings(ctx),
  ]);
  const demoSupportNumbers = supportPhones.some(({ number }) => DEMO_NUMBER.test(number));
  return { payments, mailsWaiting, demoSupportNumbers };
}
