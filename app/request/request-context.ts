import { createContext } from "react-router";
import type { Context } from "#core/context.ts";

/** The context of core for the actor of this request. The HTTP server sets it for every request. */
export const shopContext = createContext<Context>();

/** The state of the database during this request. The HTTP server sets it for every request. */
export const databaseHealth = createContext<{
  /** Whether the database answers a query within this time. Never rejects. */
  answers(withinMs: number): Promise<boolean>;
  /** True after a part of the request failed because the database was unavailable. The response then has status 503. */
  failed: boolean;
}>();

/** What rendering needs to know about the request. */
export interface RequestInfo {
  /** For the inline scripts of the page. */
  nonce: string;
  /** Shown on error pages. null for a page that is stored, because others receive it too. */
  requestId: string | null;
  /** Tells which video the page may embed, before the response is made: its policy allows no other host. */
  showsVideo(url: string | null): void;
  /** Waits until the page may be rendered. @returns a function to call when rendering has ended */
  waitToRender(signal: AbortSignal): Promise<() => void>;
}

export const requestInfo = createContext<RequestInfo>();
