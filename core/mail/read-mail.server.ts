import { eq } from "drizzle-orm";
import { z } from "zod";
import { mailMessages } from "#db/tables/operations.ts";
import { requireAdmin } from "../authorise.ts";
import type { Context } from "../context.ts";
import { DomainError } from "../errors.ts";
import { parseInput, type UntrustedInput } from "../parse.ts";
import { composeMail, MailTemplateError, readShopFacts } from "./compose-mail.server.ts";
import { KINDS_WITH_SECRET_LINK, type RenderedMail } from "./mail-templates.ts";

const readMailInput = z.object({ mailId: z.uuid("Mail not found") });

/** `secret`: the mail holds a link for its recipient only. `unavailable`: its text cannot be made. */
export type MailPreview =
  | ({ kind: "text" } & RenderedMail)
  | { kind: "secret"; subject: string }
  | { kind: "unavailable"; subject: string };

/**
 * The text of a mail. A text with a link that gives access to an account is never shown: an admin could take the account
 * over with it.
 *
 * @throws DomainError 'unauthenticated', 'forbidden', invalid-input, not-found
 */
export async function readMail(
  ctx: Context,
  input: z.input<typeof readMailInput> | UntrustedInput,
): Promise<MailPreview> {
  requireAdmin(ctx, "reads");
  const { mailId } = parseInput(readMailInput, input);
  const [message] = await ctx.db.select().from(mailMessages).where(eq(mailMessages.id, mailId));
  if (!message) throw new DomainError("not-found");
  if (KINDS_WITH_SECRET_LINK.has(message.kind)) return { kind: "secret", subject: message.subject };
  try {
    return { kind: "text", ...(await composeMail(ctx, message, await readShopFacts(ctx, ctx.db))) };
  } catch (error) {
    if (!(error instanceof MailTemplateError)) throw error;
    ctx.log.error({ err: error, mailId }, "a mail cannot be rendered");
    return { kind: "unavailable", subject: message.subject };
  }
}
