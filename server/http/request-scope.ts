import { AsyncLocalStorage } from "node:async_hooks";
import type { HttpBindings } from "@hono/node-server";
import type { Log } from "#core/context.ts";
import type { Language } from "#languages/languages.ts";
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
