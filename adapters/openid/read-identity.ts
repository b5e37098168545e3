import type * as OpenIdClient from "openid-client";
import { z } from "zod";
import type { ProviderIdentity } from "#core/accounts/google/identity-provider.ts";
import { DomainError } from "#core/errors.ts";

const LONGEST_PHOTO_URL = 1000;
/** How far the clocks of the provider and of this machine may differ. openid-client uses it for the end of a token too. */
const CLOCK_TOLERANCE_SECONDS = 30;

/** The claims of OpenID Connect Core, section 5.1. Some providers write the flag as a text. */
const claimsSchema = z.object({
  sub: z.string().min(1),
  email: z.string(),
  email_verified: z.union([z.boolean(), z.string()]).optional(),
  /** The domain of the organisation, of an account that an organisation manages. */
  hd: z.string().optional().catch(undefined),
  name: z.string().optional().catch(undefined),
  picture: z
    .url({ protocol: /^https$/ })
    .max(LONGEST_PHOTO_URL)
    .optional()
    .catch(undefined),
});

/**
 * Who has signed in, by the checked ID token. A provider that leaves the address out of it is asked for the profile.
 *
 * @throws DomainError 'authentication-failed' without an address; 'identity-not-yet-valid' for a token from the future, which
 *   openid-client accepts
 */
export async function readIdentity(
  library: typeof OpenIdClient,
  configuration: OpenIdClient.Configuration,
  tokens: OpenIdClient.TokenEndpointResponse & OpenIdClient.TokenEndpointResponseHelpers,
): Promise<Omit<ProviderIdentity, "issuer">> {
  const idToken = tokens.claims();
  if (idToken === undefined) throw new DomainError("authentication-failed");
  if (idToken.iat > Date.now() / 1000 + CLOCK_TOLERANCE_SECONDS)
    throw new DomainError("identity-not-yet-valid");
  const complete =
    "email" in idToken || configuration.serverMetadata().userinfo_endpoint === undefined
      ? idToken
      : { ...idToken, ...(await library.fetchUserInfo(configuration, tokens.access_token, idToken.sub)) };
  const claims = claimsSchema.safeParse(complete);
  if (!claims.success) throw new DomainError("authentication-failed");
  const { sub: subject, email, email_verified: verified, hd, name = "", picture = null } = claims.data;
  return {
    isAuthoritative: isAuthoritativeFor(email, hd),
    ...{ subject, email, displayName: name.trim(), photoUrl: picture },
    emailVerified: verified === true || verified === "true",
  };
}

/** Google gives out the addresses of these domains, and of those whose organisation it hosts (the claim `hd`). */
const OWN_DOMAINS = ["gmail.com", "googlemail.com"];

function isAuthoritativeFor(email: string, hostedDomain: string | undefined): boolean {
  const domain = email.slice(email.lastIndexOf("@") + 1).toLowerCase();
  return (
    OWN_DOMAINS.includes(domain) || (hostedDomain !== undefined && domain === hostedDomain.toLowerCase())
  );
}
