import { generateKeyPairSync, type KeyObject, sign } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import Provider, { type Configuration } from "oidc-provider";
import { z } from "zod";

/** Somebody with an account at the provider. `sub` is the id there. */
export interface Person {
  sub: string;
  email: string;
  email_verified: boolean;
  /** The domain of the organisation that manages the account at the provider. */
  hd?: string;
  name?: string;
  picture?: string;
}

export interface FakeGoogleOptions {
  /** The shop's callback. */
  redirectUris: string[];
  /** How the client sends its secret; the only way that is accepted. */
  clientAuthentication?: "client_secret_basic" | "client_secret_post";
  /** Whether the ID token holds email and name, as Google's does; otherwise only the user information does. */
  claimsInIdToken?: boolean;
}

/**
 * An OpenID provider in the place of Google: the package oidc-provider, on loopback. Its page has a button for each of
 * `people` and one to cancel. With `automatic` it has no page and answers for that person at once.
 */
export async function startFakeGoogle(options: FakeGoogleOptions) {
  const { redirectUris, clientAuthentication = "client_secret_basic", claimsInIdToken = true } = options;
  const state: {
    automatic: Person | "cancel" | null;
    people: Person[];
    /** By how many seconds the clock of the provider is ahead. */
    clockAheadSeconds: number;
  } = { automatic: null, people: [], clockAheadSeconds: 0 };
  const known = new Map<string, Person>();
  const key = signingKey();
  const server = createServer();
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("the provider has no port");
  const issuer = `http://127.0.0.1:${address.port}`;
  const clientId = "daypass-client";
  const clientSecret = "daypass-client-secret-for-tests";
  const configuration: Configuration = {
    clients: [
      {
        client_id: clientId,
        client_secret: clientSecret,
        redirect_uris: redirectUris,
        token_endpoint_auth_method: clientAuthentication,
      },
    ],
    claims: { openid: ["sub"], email: ["email", "email_verified"], profile: ["name", "picture", "hd"] },
    conformIdTokenClaims: !claimsInIdToken,
    // Set, because the provider prints a line for each that is not.
    ttl: {
      AccessToken: 600,
      AuthorizationCode: 60,
      Grant: 600,
      IdToken: 600,
      Interaction: 600,
      Session: 600,
    },
    cookies: { keys: ["a-key-of-the-fake-provider"] },
    jwks: { keys: [key.jwk] },
    features: { devInteractions: { enabled: false } },
    // Every person agrees at once.
    loadExistingGrant: async ({ oidc }) => {
      const { client, session } = oidc;
      if (!client || !session?.accountId) throw new Error("nobody is signed in at the provider");
      const grant = new oidc.provider.Grant({ clientId: client.clientId, accountId: session.accountId });
      grant.addOIDCScope("openid email profile");
      await grant.save();
      return grant;
    },
    findAccount: async (_ctx, sub) => ({
      accountId: sub,
      claims: async () => ({ ...known.get(sub), sub }),
    }),
    interactions: { url: (_ctx, interaction) => `/interaction/${interaction.uid}` },
  };
  const provider = new Provider(issuer, configuration);
  provider.use(async (ctx, next) => {
    await next();
    if (state.clockAheadSeconds === 0 || typeof ctx.body !== "object" || !("id_token" in ctx.body)) return;
    ctx.body.id_token = issueAhead(String(ctx.body.id_token), state.clockAheadSeconds, key.privateKey);
  });
  const answer = provider.callback();

  function finish(request: IncomingMessage, response: ServerResponse, who: Person | "cancel") {
    if (who === "cancel")
      return provider.interactionFinished(request, response, {
        error: "access_denied",
        error_description: "The person has cancelled",
      });
    known.set(who.sub, who);
    return provider.interactionFinished(request, response, { login: { accountId: who.sub } });
  }

  server.on("request", (request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? "/", issuer);
    if (!pathname.startsWith("/interaction/")) return void answer(request, response);
    const chosen = searchParams.get("as");
    const who = chosen === "cancel" ? chosen : state.people.find(({ sub }) => sub === chosen);
    const decided = who ?? state.automatic;
    if (decided) return void finish(request, response, decided);
    response.setHeader("content-type", "text/html");
    const choices = state.people.map(({ sub, email }) => `<p><a href="?as=${sub}">${email}</a></p>`).join("");
    response.end(`<!doctype html><title>Provider</title>${choices}<p><a href="?as=cancel">Cancel</a></p>`);
  });

  return {
    clientId,
    clientSecret,
    issuer,
    discoveryUrl: `${issuer}/.well-known/openid-configuration`,
    /** What its page offers. */
    state,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

export type FakeGoogle = Awaited<ReturnType<typeof startFakeGoogle>>;

function signingKey() {
  const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  return {
    privateKey,
    jwk: { ...privateKey.export({ format: "jwk" }), kid: "test", use: "sig", alg: "RS256" },
  };
}

const tokenTimes = z.looseObject({ iat: z.number(), exp: z.number() });

/** The same token, as a provider whose clock is ahead signs it. */
function issueAhead(token: string, seconds: number, privateKey: KeyObject): string {
  const [header = "", payload = ""] = token.split(".");
  const claims = tokenTimes.parse(JSON.parse(Buffer.from(payload, "base64url").toString()));
  const changed = { ...claims, iat: claims.iat + seconds, exp: claims.exp + seconds };
  const signed = `${header}.${Buffer.from(JSON.stringify(changed)).toString("base64url")}`;
  return `${signed}.${sign("sha256", Buffer.from(signed), privateKey).toString("base64url")}`;
}
