import type { Context } from "../../context.ts";
import { DomainError } from "../../errors.ts";
import type { SignedIn } from "../authenticator.ts";
import { findAccountById, setLastLogin } from "../queries.server.ts";

/** The account that has signed in, and the cookies for the response. */
export interface SignedInUser {
  user: { id: string; email: string; displayName: string; role: "user" | "admin" };
  setCookies: string[];
}

/** Stores the time of the sign-in and returns the account. A failed write is only logged. */
export async function recordSignIn(ctx: Context, { userId, setCookies }: SignedIn): Promise<SignedInUser> {
  const found = await findAccountById(ctx.db, userId);
  if (found === undefined) throw new DomainError("user-not-found");
  try {
    await setLastLogin(ctx.db, userId, ctx.clock.now());
  } catch (error) {
    ctx.log.warn({ userId, err: error }, "time of sign-in not recorded");
  }
  const { id, email, displayName, role } = found;
  return { user: { id, email, displayName, role }, setCookies };
}
