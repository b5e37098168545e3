import { eq } from "drizzle-orm";
import type { Executor } from "#db/database.ts";
import { users } from "#db/tables/accounts.ts";
import { tools } from "#db/tables/catalog.ts";
import type { MailMessage } from "#db/tables/operations.ts";
import { userPurchases } from "#db/tables/purchases.ts";
import type { Language } from "#languages/languages.ts";
import type { AuthorisedContext } from "../authorise.ts";
import { readStoreSettingsIn } from "../catalog/store-settings.server.ts";
import type { Context } from "../context.ts";
import { paidOf, selectPaymentsOf } from "../paid.server.ts";
import { formatDateTime, formatEnd } from "../time.ts";
import {
  isPurchaseMailKind,
  type ReceiptFacts,
  type RenderedMail,
  type ShopFacts,
} from "./mail-templates.ts";

/** A template has failed. */
export class MailTemplateError extends Error {
  override readonly name = "MailTemplateError";
}

/**
 * The text of a mail: as it is stored; for a mail about a purchase it is rendered until it has been sent. The caller
 * authorises.
 *
 * @throws MailTemplateError
 */
export async function composeMail(
  ctx: AuthorisedContext,
  message: Pick<MailMessage, "kind" | "subject" | "html" | "text" | "purchaseId">,
  shop: ShopFacts,
): Promise<RenderedMail> {
  const { kind, subject, html, text, purchaseId } = message;
  if (purchaseId === null || !isPurchaseMailKind(kind) || html !== "") return { subject, html, text };
  const { facts, language } = await readFacts(ctx, purchaseId);
  try {
    return await ctx.ports.mailTemplates.render(kind, facts, { shop, language });
  } catch (error) {
    throw new MailTemplateError("The text of this mail could not be made.", { cause: error });
  }
}

/** What the language of a mail depends on. */
export interface MailRecipient {
  role: string;
  language: Language;
}

export const RECIPIENT_COLUMNS = { role: users.role, language: users.language };

/** The language of the mails to an account. The admin area is in English, so the mails to admins are too. */
export function mailLanguageOf(recipient: MailRecipient | null | undefined): Language {
  return recipient?.role === "user" ? recipient.language : "en";
}

async function readFacts(
  ctx: AuthorisedContext,
  purchaseId: string,
): Promise<{ facts: ReceiptFacts; language: Language }> {
  const [found] = await ctx.db
    .select({ purchase: userPurchases, slug: tools.slug, buyer: RECIPIENT_COLUMNS })
    .from(userPurchases)
    .leftJoin(users, eq(users.id, userPurchases.userId))
    .leftJoin(tools, eq(tools.id, userPurchases.toolId))
    .where(eq(userPurchases.id, purchaseId));
  if (!found) throw new Error(`the purchase ${purchaseId} of a mail does not exist`);
  const { purchase, slug, buyer } = found;
  const payments = await selectPaymentsOf(ctx.db, [purchaseId]);
  const { timeZone, origin } = ctx.store;
  const { startsAt, capturedAt, createdAt, expiresAt, endedAt } = purchase;
  const paidAt = capturedAt ?? startsAt ?? createdAt;
  const isOver = endedAt !== null || expiresAt === null || expiresAt <= ctx.clock.now();
  const facts = {
    orderNumber: purchase.orderNumber,
    toolName: purchase.toolName,
    optionLabel: purchase.optionLabel,
    validityDays: purchase.validityDays,
    listPricePaise: purchase.listPricePaise,
    discountPaise: purchase.discountPaise,
    couponCode: purchase.couponCode,
    ...(paidOf(purchase, payments) ?? {
      amountPaise: purchase.amountPaise,
      buyerFeePaise: 0,
      offerPaise: 0,
    }),
    paidAt: formatDateTime(paidAt, timeZone),
    from:
      purchase.isRenewal && !isOver && startsAt && startsAt > paidAt
        ? formatDateTime(startsAt, timeZone)
        : null,
    until: isOver ? null : formatEnd(expiresAt, timeZone),
    toolUrl: slug === null ? `${origin}/dashboard` : `${origin}/tools/${slug}`,
    testMode: purchase.testMode,
  };
  return { facts, language: mailLanguageOf(buyer) };
}

/** What every mail says about the shop. */
export async function readShopFacts(ctx: Context, executor: Executor): Promise<ShopFacts> {
  const { name, supportPhones, pages } = await readStoreSettingsIn(ctx, executor);
  const { origin } = ctx.store;
  return { name, origin, supportPhones, contactUrl: pages.includes("contact") ? `${origin}/contact` : null };
}
