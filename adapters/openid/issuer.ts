/** Google's issuer: the only provider that is authoritative for addresses. */
export const GOOGLE_ISSUER = "https://accounts.google.com";

const CONFIGURATION_PATH = "/.well-known/openid-configuration";

/**
 * The issuer whose configuration is at this address (OpenID Connect Discovery, section 4), without a slash at its end. Not the
 * one that the configuration names: any provider can name Google there.
 */
export function issuerOf(discoveryUrl: string): string {
  const { origin, pathname, search } = new URL(discoveryUrl);
  const path = pathname.endsWith(CONFIGURATION_PATH)
    ? pathname.slice(0, -CONFIGURATION_PATH.length)
    : pathname;
  return `${origin}${path.endsWith("/") ? path.slice(0, -1) : path}${search}`;
}
