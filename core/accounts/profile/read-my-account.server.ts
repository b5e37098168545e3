import { requireSignedIn } from "../../authorise.ts";
import type { Context } from "../../context.ts";
import { DomainError } from "../../errors.ts";
import { findProfile, type ProfileRow } from "../queries.server.ts";

export interface MyAccount extends ProfileRow {
  /** Whether it has a password. Without one it opens with Google only. */
  hasPassword: boolean;
  /** Whether it opens with Google, or with the provider in its place. */
  hasGoogle: boolean;
}

/** The account of the signed-in person, for the account page. @throws DomainError unauthenticated */
export async function readMyAccount(ctx: Context): Promise<MyAccount> {
  const { userId } = requireSignedIn(ctx, "reads");
  const { authenticator, identityProvider } = ctx.ports;
  const [profile, hasPassword, google] = await Promise.all([
    findProfile(ctx.db, userId),
    authenticator.hasPassword(ctx.db, { userId }),
    identityProvider && authenticator.findGoogleAccount(ctx.db, { userId, issuer: identityProvider.issuer }),
  ]);
  if (profile === undefined) throw new DomainError("unauthenticated");
  return { ...profile, hasPassword, hasGoogle: google !== null };
}
