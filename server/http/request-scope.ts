import { AsyncLocalStorage } from "node:async_hooks";
import type { IncomingHttpHeaders } from "node:http";
import { BlockList, isIP } from "node:net";
import type { HttpBindings } from "@hono/node-server";
import { parseAccept } from "hono/utils/accept";
import { isLanguage, LANGUAGE_COOKIE, type Language } from "#app/ui/texts/texts.ts";
import type { Log } from "#core/context.ts";
import { normaliseAddress } from "#core/network.ts";
import type { Env } from "../env.ts";

/** The request that the running code works for. */
export interface RequestScope {
  readonly requestId: string;
  readonly method: string;
  /** Without the query, which may hold secrets. */
  readonly path: string;
  /** The client's address, as trusted proxies report it. */
  readonly address: string;
  /** The language of its pages. */
  readonly language: Language;
  readonly log: Log;
  /** Counts the request as refused, for one of a few fixed reasons; refusals are logged by the minute. */
  countRefusal(reason: string): void;
  /** Closes the connection: the client gets no answer, or an incomplete one. */
  abort(): void;
}

/** The origin of the shop that a request was sent to. The Host header chooses among the shop's own only. */
export function ownOriginOf(
  headers: Headers,
  { origin, extraOrigins }: Pick<Env, "origin" | "extraOrigins">,
): string {
  const requested = `http://${headers.get("host") ?? ""}`;
  return extraOrigins.includes(requested) ? requested : origin;
}

const scopes = new AsyncLocalStorage<RequestScope>();

/** Runs `work` so that everything it starts, including timers and streams, belongs to the request. */
export function runInRequestScope<T>(scope: RequestScope, work: () => T): T {
  return scopes.run(scope, work);
}

/** @returns undefined outside of any request */
export function currentRequest(): RequestScope | undefined {
  return scopes.getStore();
}

/** For code that runs in requests only. @throws Error outside of any request */
export function requireRequest(): RequestScope {
  const scope = currentRequest();
  if (scope === undefined) throw new Error("there is no request");
  return scope;
}

/**
 * Handles an error that no code handled. An error of a request ends only that request: it is logged with its stack, and
 * the connection is closed, because an unknown part of the answer may have been sent.
 *
 * @returns false when the error belongs to no request
 */
export function endFailedRequest(error: unknown): boolean {
  const scope = currentRequest();
  if (scope === undefined) return false;
  const { method, path, log } = scope;
  log.error({ err: error, method, path }, "a request failed outside of its handler");
  scope.abort();
  return true;
}

/** What the handlers of the HTTP server share about a request. */
export interface AppEnv {
  Bindings: HttpBindings;
  Variables: {
    nonce: string;
    /** The demo video that the page shows; null on one without. */
    videoUrl: string | null;
    /** Whether the answer is a script or a stylesheet. */
    isCode: boolean;
  };
}

export const PROCESS_HEALTH_PATH = "/healthz";

/** Load balancers poll these, also while the shop is busy. */
export const HEALTH_PATHS: ReadonlySet<string> = new Set([PROCESS_HEALTH_PATH, "/readyz"]);

export const WEBHOOK_PATH = "/webhooks/razorpay";

export const LIVE_PATH = "/live";

/** All endpoints of the browser extension are under this path. */
export const EXTENSION_PATH = "/extension";

/**
 * Where large bodies are sent: the texts of the shop, many access codes at once, and a tool with its logo. Their actions
 * authorise before they parse a body. In any other spelling, which the router may accept, a path has the limit of all others.
 */
export const LARGE_BODY_PATHS: ReadonlySet<string> = new Set([
  "/admin/settings",
  "/admin/settings.data",
  "/admin/access-codes",
  "/admin/access-codes.data",
  "/admin/tools",
  "/admin/tools.data",
]);

/** Nothing to resolve or to decode. */
const PLAIN_PATH = /^\/[\w/-]*$/;

/**
 * The path of a request target as the router sees it: dot segments resolved, percent codes decoded, without the query.
 * Checks before the router must use the same path, or `/x/../` would bypass them.
 */
export function routedPath(target = ""): string {
  if (PLAIN_PATH.test(target)) return target;
  const url = target.startsWith("/") ? `http://shop${target}` : target;
  return URL.canParse(url) ? decode(new URL(url).pathname) : "";
}

function decode(path: string): string {
  try {
    return decodeURI(path.replaceAll("%25", "%2525"));
  } catch {
    return path;
  }
}

export interface ClientAddresses {
  /** The client's address. Only the part of X-Forwarded-For that trusted proxies wrote is used. */
  addressOf(socketAddress: string | undefined, forwardedFor: string | undefined): string;
  /** Whether connections of this address carry the requests of many clients. */
  isTrustedProxy(socketAddress: string | undefined): boolean;
}

const MAX_KNOWN = 10_000;

/** @param trustedProxies addresses and CIDR ranges */
export function createClientAddresses(trustedProxies: readonly string[]): ClientAddresses {
  const trusted = new BlockList();
  for (const entry of trustedProxies) {
    const [address = "", bits] = entry.split("/");
    const family = isIP(address) === 6 ? "ipv6" : "ipv4";
    if (bits === undefined) trusted.addAddress(address, family);
    else trusted.addSubnet(address, Number(bits), family);
  }
  const isTrusted = (address: string) =>
    isIP(address) !== 0 && trusted.check(address, isIP(address) === 6 ? "ipv6" : "ipv4");

  const find = (socketAddress: string, forwardedFor: string): string => {
    let address = normaliseAddress(socketAddress);
    const hops = forwardedFor.split(",").map((hop) => normaliseAddress(hop.trim()));
    // From the nearest hop outwards: each trusted proxy wrote the address before it.
    while (isTrusted(address)) {
      const before = hops.pop();
      if (before === undefined || isIP(before) === 0) break;
      address = before;
    }
    return address;
  };
  /** The addresses of direct clients, because parsing one takes as long as sending a stored page. */
  const direct = new Map<string, string>();

  return {
    isTrustedProxy: (socketAddress) => isTrusted(normaliseAddress(socketAddress ?? "unknown")),
    addressOf(socketAddress = "unknown", forwardedFor = "") {
      if (forwardedFor !== "") return find(socketAddress, forwardedFor);
      const known = direct.get(socketAddress);
      if (known !== undefined) return known;
      if (direct.size >= MAX_KNOWN) direct.clear();
      const address = find(socketAddress, "");
      direct.set(socketAddress, address);
      return address;
    },
  };
}

const CHOSEN_LANGUAGE = new RegExp(`(?:^|;\\s*)${LANGUAGE_COOKIE}=([a-z]{2})(?:;|$)`);
/** Most browsers send the same few headers, and a long one names languages that nobody reads. */
const LONGEST_ACCEPTED = 100;
const MAX_ACCEPTED = 1_000;
const accepted = new Map<string, Language>();

/** The first languages of a header, each whole. */
function withoutRest(header: string): string {
  if (header.length <= LONGEST_ACCEPTED) return header;
  return header.slice(0, header.lastIndexOf(",", LONGEST_ACCEPTED) + 1);
}

/** The language that was chosen in this browser, otherwise the one that it prefers among those of the shop. */
export function languageOf(headers: Pick<IncomingHttpHeaders, "cookie" | "accept-language">): Language {
  const chosen = CHOSEN_LANGUAGE.exec(headers.cookie ?? "")?.[1];
  if (isLanguage(chosen)) return chosen;
  const header = withoutRest(headers["accept-language"] ?? "");
  const known = accepted.get(header);
  if (known !== undefined) return known;
  if (accepted.size >= MAX_ACCEPTED) accepted.clear();
  const preferred = parseAccept(header)
    .filter(({ q }) => q > 0)
    .map(({ type }) => type.toLowerCase().split("-")[0])
    .find(isLanguage);
  accepted.set(header, preferred ?? "en");
  return preferred ?? "en";
}
