import { AsyncLocalStorage } from "node:async_hooks";
import type { Log } from "#core/context.ts";

/** The request that the running code works for. */
export interface RequestScope {
  readonly requestId: string;
  readonly method: string;
  /** Without the query, which may hold secrets. */
  readonly path: string;
  /** The client's, as the trusted proxies tell it. */
  readonly address: string;
  readonly log: Log;
  /** Counts the request as refused, for one of a few fixed reasons; refusals are logged by the minute. */
  noteRefusal(reason: string): void;
  /** Cuts the connection off: the client gets no answer, or no more of it. */
  abort(): void;
}

const scopes = new AsyncLocalStorage<RequestScope>();

/** Runs `work` so that whatever it starts, timers and streams included, belongs to the request. */
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
 * Takes an error that no code handled. One that a request caused ends that request only: it is logged with its stack,
 * and the connection is cut off, because nobody can tell how much of an answer was sent.
 *
 * @returns false when the error belongs to no request
 */
export function containFault(error: unknown): boolean {
  const scope = currentRequest();
  if (scope === undefined) return false;
  const { method, path, log } = scope;
  log.error({ err: error, method, path }, "a request failed outside of its handler");
  scope.abort();
  return true;
}
