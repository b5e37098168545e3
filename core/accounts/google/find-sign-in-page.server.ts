import { requireBrowser } from "../../authorise.ts";
import type { Context } from "../../context.ts";

/** `unreachable`: the shop itself cannot read the provider's configuration. */
export type ProviderSignInPage =
  | { state: "not-configured" }
  | { state: "unreachable" }
  | { state: "known"; url: string };

/**
 * Where a browser can check whether it reaches the provider of identities.
 *
 * @throws DomainError 'diagnostics-too-fast', 'forbidden' without a browser
 */
export async function findSignInPage(ctx: Context): Promise<ProviderSignInPage> {
  const { ipAddress } = requireBrowser(ctx);
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
