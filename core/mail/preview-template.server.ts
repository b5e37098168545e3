import { z } from "zod";
import { requireAdmin } from "../authorise.ts";
import type { Context } from "../context.ts";
import { parseInput, type UntrustedInput } from "../parse.ts";
import { refundMessage } from "../refund-reasons.ts";
import { addDays, formatDateTime } from "../time.ts";
import { readShopFacts } from "./compose-mail.server.ts";
import type { MailKind, MailKinds } from "./mail-templates.ts";
import type { MailPreview } from "./read-mail.server.ts";

/** Every kind of mail. */
export const MAIL_KINDS = [
  "purchase-receipt",
  "pass-assigned",
  "giveaway-won",
  "payment-refunded",
  "payment-not-taken",
  "password-reset",
  "password-changed",
  "account-taken-over",
  "google-linked",
  "code-reported",
  "credential-missing",
  "test-mail",
  "codes-used-up",
] as const satisfies readonly MailKind[];

const previewInput = z.object({ kind: z.enum(MAIL_KINDS, "Mail not found") });

/**
 * A mail of one kind with facts that are made up, as a buyer of this shop would get it.
 *
 * @throws DomainError 'unauthenticated', 'forbidden', invalid-input
 */
export async function previewTemplate(
  ctx: Context,
  input: z.input<typeof previewInput> | UntrustedInput,
): Promise<MailPreview> {
  requireAdmin(ctx, "reads");
  const { kind } = parseInput(previewInput, input);
  const facts = exampleFacts(ctx);
  const shop = await readShopFacts(ctx, ctx.db);
  return { kind: "text", ...(await renderExample(kind)) };

  function renderExample<Kind extends MailKind>(chosen: Kind) {
    return ctx.ports.mailTemplates.render(chosen, facts[chosen], shop);
  }
}

function exampleFacts(ctx: Context): MailKinds {
  const { origin, timeZone } = ctx.store;
  const now = ctx.clock.now();
  const toolName = "Example Tool";
  const pass = { toolName, until: formatDateTime(addDays(now, 30), timeZone), toolUrl: origin };
  const payment = { toolName, amountPaise: 14_900, reason: refundMessage("out-of-stock") };
  return {
    "purchase-receipt": {
      ...{ ...pass, orderNumber: "01234567-89ab-7cde-8f01-23456789abcd", optionLabel: "1 month" },
      ...{ validityDays: 30, listPricePaise: 19_900, discountPaise: 5_000, couponCode: "EXAMPLE" },
      ...{ amountPaise: 14_900, paidAt: formatDateTime(now, timeZone), testMode: false },
    },
    "pass-assigned": pass,
    "giveaway-won": pass,
    "payment-refunded": payment,
    "payment-not-taken": payment,
    "password-reset": { resetUrl: `${origin}/reset-password?token=example`, validMinutes: 60 },
    "password-changed": { email: "buyer@example.com" },
    "account-taken-over": { email: "buyer@example.com" },
    "google-linked": { email: "buyer@example.com" },
    "code-reported": { toolName, serverName: "Server 1", adminUrl: `${origin}/admin/access-codes` },
    "credential-missing": { toolName, isAmbiguous: false, adminUrl: `${origin}/admin/credentials` },
    "test-mail": { sentAt: formatDateTime(now, timeZone) },
    "codes-used-up": { toolName, serverName: "Server 1", codesUrl: `${origin}/admin/access-codes` },
  };
}
