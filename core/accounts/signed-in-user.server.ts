import type { Context } from "../context.ts";
import { DomainError } from "../errors.ts";
import type { SignedIn } from "./authenticator.ts";
import { findAccountById, setLastLogin } from "./queries.server.ts";

/** Whom a sign-in let in, and the cookies their browser must get. */
export interface SignedInUser {
  user: { id: string; email: string; displayName: string; role: "user" | "admin" };
  setCookies: string[];
}

/** Notes the sign-in on the account and tells who it is. A note that cannot be written is only logged. */
export async function noteSignIn(ctx: Context, { userId, setCookies }: SignedIn): Promise<SignedInUser> {
  const found = await findAccountById(ctx.db, userId);
  if (found === undefined) throw new DomainError("user-not-found");
  try {
    await setLastLogin(ctx.db, userId, ctx.clock.now());
  } catch (error) {
    ctx.log.warn({ userId, err: error }, "the last sign-in could not be noted");
  }
  const { id, email, displayName, role } = found;
  return { user: { id, email, displayName, role }, setCookies };
}
