import { requireBrowser } from "../../authorise.ts";
import type { Context } from "../../context.ts";

/** What a browser compares with its own state to find out why a sign-in fails. */
export interface SignInConditions {
  /** The time of the shop. */
  now: Date;
  /** The only address at which people can sign in. */
  origin: string;
  /** Whether the session of this request is valid. */
  signedIn: boolean;
}

/**
 * The conditions of a sign-in, for the diagnostics in the browser. They say nothing about any account.
 *
 * @throws DomainError 'diagnostics-too-fast', 'forbidden' without a browser
 */
export async function readSignInConditions(ctx: Context): Promise<SignInConditions> {
  const { ipAddress } = requireBrowser(ctx);
  await ctx.ports.rateLimiter.consume("diagnostics-address", ipAddress);
  const signedIn = ctx.actor.kind === "user" || ctx.actor.kind === "admin";
  return { now: ctx.clock.now(), origin: ctx.store.origin, signedIn };
}
