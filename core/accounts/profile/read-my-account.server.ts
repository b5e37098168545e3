import { requireSignedIn } from "../../authorise.ts";
import type { Context } from "../../context.ts";
import { DomainError } from "../../errors.ts";
import { findProfile, type ProfileRow } from "../queries.server.ts";

export interface MyAccount extends ProfileRow {
  /** Whether it has a password. Without one it opens with Google only. */
  hasPassword: boolean;
  /** Whether it opens with Google. */
  hasGoogle: boolean;
}

/** The account of the signed-in person, for the account page. @throws DomainError unauthenticated */
export async function readMyAccount(ctx: Context): Promise<MyAccount> {
  const { userId } = requireSignedIn(ctx);
  const { authenticator } = ctx.ports;
  const [profile, hasPassword, google] = await Promise.all([
    findProfile(ctx.db, userId),
    authenticator.hasPassword(ctx.db, { userId }),
    authenticator.findGoogleAccount(ctx.db, { userId }),
  ]);
  if (profile === undefined) throw new DomainError("unauthenticated");
  return { ...profile, hasPassword, hasGoogle: google !== null };
}
