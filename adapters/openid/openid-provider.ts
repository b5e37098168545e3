import type * as OpenIdClient from "openid-client";
import { z } from "zod";
import type { IdentityProvider, ProviderIdentity } from "#core/accounts/identity-provider.ts";
import type { Log } from "#core/context.ts";
import { DomainError, isDomainError } from "#core/errors.ts";
import { createAttemptCookie, type StoredAttempt } from "./attempt-cookie.ts";

type Library = typeof OpenIdClient;
type Configuration = OpenIdClient.Configuration;

const TIMEOUT_SECONDS = 10;
/** The provider's keys and addresses are read again after this time. */
const DISCOVERY_MS = 6 * 60 * 60 * 1000;
/** A provider that could not be read is left alone for this time: else every request of a visitor would call it. */
const FAILURE_MS = 30_000;
/** The person has refused, or has closed the provider's page. */
const CANCELLED = new Set(["access_denied", "interaction_required", "consent_required", "login_required"]);
const LONGEST_REASON = 200;

interface OpenIdOptions {
  clientId: string;
  clientSecret: string;
  /** The address of the provider's openid-configuration. Plain http is accepted on loopback only; server/env.ts checks it. */
  discoveryUrl: string;
  /** The issuer that is authoritative for addresses; a provider with another issuer never is. */
  authoritativeIssuer: string;
  /** Signs the cookie of an attempt. */
  secret: string;
  secureCookies: boolean;
  log: Log;
}

/**
 * Signs in with any OpenID provider by the authorization code flow, with PKCE, state and nonce. The ID token's signature is
 * checked with the provider's keys, and its times with a tolerance of 30 seconds.
 */
export function createOpenIdProvider(options: OpenIdOptions): IdentityProvider {
  const { log } = options;
  const cookie = createAttemptCookie({ secret: options.secret, secure: options.secureCookies });
  const discover = createDiscovery(options);
  const issuer = issuerOf(options.discoveryUrl);
  const isAuthoritative = issuer === options.authoritativeIssuer;
  const discoveryOrigin = new URL(options.discoveryUrl).origin;

  async function exchange(
    library: Library,
    { configurations }: Discovered,
    answer: URL,
    attempt: StoredAttempt,
  ): Promise<ProviderIdentity> {
    const checks = {
      expectedState: attempt.state,
      expectedNonce: attempt.nonce,
      pkceCodeVerifier: attempt.codeVerifier,
      idTokenExpected: true,
    };
    // The registered address, whatever a proxy has made of the requested address.
    const url = new URL(attempt.callbackUrl);
    url.search = answer.search;
    for (const configuration of configurations) {
      try {
        const tokens = await library.authorizationCodeGrant(configuration, url, checks);
        const identity = await readIdentity(library, configuration, tokens);
        return { ...identity, issuer, isAuthoritative: isAuthoritative && identity.isAuthoritative };
      } catch (error) {
        // A provider may accept the secret in the other of the two ways only. It refuses before it uses up the code.
        const isLast = configuration === configurations.at(-1);
        if (isLast || !isInvalidClient(library, error)) throw error;
      }
    }
    throw new Error("the provider has no configuration");
  }

  return {
    issuer,

    async start(attempt, callbackUrl) {
      const { library, configurations } = await discover();
      const [configuration] = configurations;
      const stored: StoredAttempt = {
        ...attempt,
        callbackUrl,
        state: library.randomState(),
        nonce: library.randomNonce(),
        codeVerifier: library.randomPKCECodeVerifier(),
      };
      const url = library.buildAuthorizationUrl(configuration, {
        redirect_uri: callbackUrl,
        response_type: "code",
        scope: "openid email profile",
        state: stored.state,
        nonce: stored.nonce,
        code_challenge: await library.calculatePKCECodeChallenge(stored.codeVerifier),
        code_challenge_method: "S256",
        // Somebody with several accounts chooses one each time. Other providers may not know the value.
        ...(issuer === GOOGLE_ISSUER && { prompt: "select_account" }),
      });
      return { url: url.href, setCookie: cookie.write(stored) };
    },

    async addressToCheck() {
      const { configurations } = await discover();
      const { authorization_endpoint: signInPage } = configurations[0].serverMetadata();
      const isAllowed = signInPage !== undefined && new URL(signInPage).origin === discoveryOrigin;
      return isAllowed ? signInPage : options.discoveryUrl;
    },

    readAttempt(request) {
      const stored = cookie.read(request);
      return stored && { mode: stored.mode, returnTo: stored.returnTo, attemptId: stored.attemptId };
    },

    endAttempt: cookie.clear,

    async finish(answer, request) {
      const attempt = cookie.read(request);
      if (attempt === null) throw new DomainError("authentication-failed");
      const discovered = await discover();
      try {
        return await exchange(discovered.library, discovered, answer, attempt);
      } catch (error) {
        throw toRefusal(discovered.library, error, log);
      }
    },
  };
}

interface Discovered {
  library: Library;
  /** One for each way to send the secret, the preferred one first. */
  configurations: [Configuration, ...Configuration[]];
}

/** Reads the provider's configuration when it is first needed, so that the shop starts without the provider. */
function createDiscovery({ clientId, clientSecret, discoveryUrl }: OpenIdOptions) {
  let current: { promise: Promise<Discovered>; validUntil: number } | null = null;

  async function read(): Promise<Discovered> {
    const library = await import("openid-client");
    const server = new URL(discoveryUrl);
    const first = await library.discovery(
      server,
      clientId,
      clientSecret,
      library.ClientSecretBasic(clientSecret),
      {
        timeout: TIMEOUT_SECONDS,
        execute: [
          library.enableNonRepudiationChecks,
          ...(server.protocol === "http:" ? [library.allowInsecureRequests] : []),
        ],
      },
    );
    const metadata = first.serverMetadata();
    const second = new library.Configuration(
      metadata,
      clientId,
      clientSecret,
      library.ClientSecretPost(clientSecret),
    );
    second.timeout = TIMEOUT_SECONDS;
    library.enableNonRepudiationChecks(second);
    if (server.protocol === "http:") library.allowInsecureRequests(second);
    const ways = metadata.token_endpoint_auth_methods_supported ?? ["client_secret_basic"];
    return {
      library,
      configurations: ways.includes("client_secret_basic") ? [first, second] : [second, first],
    };
  }

  return (): Promise<Discovered> => {
    if (current === null || Date.now() > current.validUntil) {
      const reading = { promise: read(), validUntil: Date.now() + DISCOVERY_MS };
      reading.promise.catch(() => {
        reading.validUntil = Date.now() + FAILURE_MS;
      });
      current = reading;
    }
    return current.promise;
  };
}

function isInvalidClient(library: Library, error: unknown): boolean {
  if (error instanceof library.ResponseBodyError) return error.error === "invalid_client";
  return error instanceof library.WWWAuthenticateChallengeError;
}

/** Translates an answer that cannot be used into a refusal. An error of the connection is returned as it is. */
function toRefusal(library: Library, error: unknown, log: Log): unknown {
  if (isDomainError(error, "identity-not-yet-valid"))
    log.warn({}, "an identity token is from the future: check the clock of this machine");
  if (error instanceof library.AuthorizationResponseError) {
    if (CANCELLED.has(error.error)) return new DomainError("sign-in-cancelled", {}, { cause: error });
    const reason = (error.error_description ?? "").replace(/[^\p{L}\p{N}\p{P}\p{Zs}]/gu, "").trim();
    log.warn({ error: error.error, reason }, "the identity provider refused a sign-in");
    const details = reason === "" ? {} : { message: reason.slice(0, LONGEST_REASON) };
    return new DomainError("authentication-failed", details, { cause: error });
  }
  const isOfProvider =
    error instanceof library.ClientError ||
    error instanceof library.ResponseBodyError ||
    error instanceof library.WWWAuthenticateChallengeError;
  if (!isOfProvider || isTimeout(error)) return error;
  // Without the cause: it may hold the code or the tokens of the answer.
  log.warn({ code: error.code, reason: error.message }, "the answer of the identity provider cannot be used");
  return new DomainError("authentication-failed");
}

const isTimeout = (error: { code?: unknown }) => error.code === "OAUTH_TIMEOUT";

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
async function readIdentity(
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
    subject,
    email,
    displayName: name.trim(),
    photoUrl: picture,
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

/** Google's issuer: the only provider that is authoritative for addresses. */
export const GOOGLE_ISSUER = "https://accounts.google.com";

const CONFIGURATION_PATH = "/.well-known/openid-configuration";

/**
 * The issuer whose configuration is at this address (OpenID Connect Discovery, section 4), without a slash at its end. Not the
 * issuer that the configuration names: any provider can name Google there.
 */
export function issuerOf(discoveryUrl: string): string {
  const { origin, pathname, search } = new URL(discoveryUrl);
  const path = pathname.endsWith(CONFIGURATION_PATH)
    ? pathname.slice(0, -CONFIGURATION_PATH.length)
    : pathname;
  return `${origin}${path.endsWith("/") ? path.slice(0, -1) : path}${search}`;
}
