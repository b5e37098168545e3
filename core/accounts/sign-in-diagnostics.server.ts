import { requireBrowser } from "../authorise.ts";
import type { Context } from "../context.ts";

/** What a browser compares with its own state to find out why a sign-in fails. */
interface SignInConditions {
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
  requireBrowser(ctx);
  const { ipAddress } = ctx.browser;
  await ctx.ports.rateLimiter.consume("diagnostics-address", ipAddress);
  const signedIn = ctx.actor.kind === "user" || ctx.actor.kind === "admin";
  return { now: ctx.clock.now(), origin: ctx.store.origin, signedIn };
}

/** `unreachable`: the shop itself cannot read the provider's configuration. */
type ProviderSignInPage =
  | { state: "not-configured" }
  | { state: "unreachable" }
  | { state: "known"; url: string };

/**
 * Where a browser can check whether it reaches the provider of identities.
 *
 * @throws DomainError 'diagnostics-too-fast', 'forbidden' without a browser
 */
export async function findSignInPage(ctx: Context): Promise<ProviderSignInPage> {
  requireBrowser(ctx);
  const { ipAddress } = ctx.browser;
  const { identityProvider, rateLimiter } = ctx.ports;
  await rateLimiter.consume("diagnostics-address", ipAddress);
  if (identityProvider === null) return { state: "not-configured" };
  try {
    return { state: "known", url: await identityProvider.addressToCheck() };
  } catch (error) {
    ctx.log.warn({ err: error }, "the identity provider cannot be reached");
    return { state: "unreachable" };
  }
}
