import { z } from "zod";
import { recordAudit } from "../audit/record-audit.server.ts";
import type { Context } from "../context.ts";
import { DomainError, type ErrorCode, isDomainError } from "../errors.ts";
import { parseInput } from "../parse.ts";
import { attemptSignIn } from "./attempt-sign-in.server.ts";
import { findAccountByEmail } from "./queries.server.ts";
import { requireBrowser } from "./require-browser.ts";
import { credentialsSchema } from "./schemas.ts";
import { noteSignIn, type SignedInUser } from "./signed-in-user.server.ts";

const TOLD_ON_BOTH = new Set<ErrorCode>(["invalid-admin-credentials", "forbidden", "sign-in-busy"]);

const formSchema = z.object({ form: z.enum(["page", "inline"]) });

/**
 * Signs an admin in, and nobody else: the right password of another account makes no session. The inline form of the
 * admin panel says 'invalid-credentials' for every failure but that one and a busy shop; the page tells failures apart.
 *
 * @throws DomainError 'invalid-admin-credentials', 'sign-in-busy'; 'invalid-credentials' (inline); 'user-not-found', 'wrong-password',
 *   'user-disabled', 'invalid-email', 'sign-in-rate-limited' (page)
 */
export async function signInAdmin(ctx: Context, input: unknown): Promise<SignedInUser> {
  const { form } = parseInput(formSchema, input);
  try {
    return await signIn(ctx, input);
  } catch (error) {
    throw form === "inline" && isDomainError(error) && !TOLD_ON_BOTH.has(error.code)
      ? new DomainError("invalid-credentials", {}, { cause: error })
      : error;
  }
}

async function signIn(ctx: Context, input: unknown): Promise<SignedInUser> {
  requireBrowser(ctx);
  const { email, password } = parseInput(credentialsSchema, input);
  const { authenticator } = ctx.ports;
  const signedIn = await attemptSignIn(
    ctx,
    { email, failedAction: "admin.sign-in-failed" },
    async (browser) => {
      const account = await findAccountByEmail(ctx.db, email);
      if (account !== undefined && account.role !== "admin") {
        await authenticator.checkPassword({ email, password });
        throw new DomainError("invalid-admin-credentials");
      }
      return authenticator.signInEmail({ email, password }, browser);
    },
  );
  await recordAudit(ctx, ctx.db, {
    action: "admin.signed-in",
    subjectType: "user",
    subjectId: signedIn.userId,
  });
  return noteSignIn(ctx, signedIn);
}
