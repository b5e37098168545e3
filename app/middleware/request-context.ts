import { createContext } from "react-router";
import type { Context } from "#core/context.ts";

/** The shop as the actor of this request may use it. Set by the HTTP server for every request. */
export const shopContext = createContext<Context>();

/** How the database is, as far as a request is concerned. Set by the HTTP server for every request. */
export const databaseHealth = createContext<{
  /** Whether it answers a question that is asked now; false when it takes longer. Never rejects. */
  answers(withinMs: number): Promise<boolean>;
  /** True once a part of the request failed because the database was unavailable: the answer becomes a 503. */
  failed: boolean;
}>();

/** What the page itself needs to know of its request. */
export interface RequestInfo {
  /** Its inline scripts carry it. */
  nonce: string;
  /** In logs and on error pages. */
  requestId: string;
  /** Waits until the page may be rendered. @returns to be called when it is rendered */
  renderTurn(signal: AbortSignal): Promise<() => void>;
}

export const requestInfo = createContext<RequestInfo>();
