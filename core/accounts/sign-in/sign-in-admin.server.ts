import { z } from "zod";
import { requireBrowser } from "../../authorise.ts";
import type { Context } from "../../context.ts";
import { DomainError, type ErrorCode, isDomainError } from "../../errors.ts";
import { parseInput } from "../../parse.ts";
import { findAccountByEmail } from "../queries.server.ts";
import { credentialsSchema } from "../schemas.ts";
import { attemptSignIn } from "./attempt-sign-in.server.ts";
import { recordSignIn, type SignedInUser } from "./record-sign-in.server.ts";

/** Codes that the inline form reports too. */
const REPORTED_BY_BOTH_FORMS = new Set<ErrorCode>([
  "invalid-admin-credentials",
  "forbidden",
  "sign-in-busy",
  "sign-in-rate-limited",
]);

const formSchema = z.object({ form: z.enum(["page", "inline"]) });

/**
 * Signs in an admin. The correct password of any other account is refused as 'invalid-admin-credentials' and starts no
 * session. The inline form of the admin panel reports most other refusals as 'invalid-credentials'; the page reports
 * each with its own code.
 *
 * @throws DomainError 'invalid-admin-credentials', 'sign-in-busy', 'sign-in-rate-limited'; 'invalid-credentials' (inline);
 *   'user-not-found', 'wrong-password', 'user-disabled', 'invalid-email' (page)
 */
export async function signInAdmin(ctx: Context, input: unknown): Promise<SignedInUser> {
  const { form } = parseInput(formSchema, input);
  try {
    return await signIn(ctx, input);
  } catch (error) {
    throw form === "inline" && isDomainError(error) && !REPORTED_BY_BOTH_FORMS.has(error.code)
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
  return recordSignIn(ctx, signedIn, "password");
}
