import { createContext } from "react-router";
import type { Context } from "#core/context.ts";

/** The shop as the actor of this request may use it. Set by the HTTP server for every request. */
export const shopContext = createContext<Context>();

/** Facts of the request for the page itself: the nonce its inline scripts carry, and the id in logs and error pages. */
export const requestInfo = createContext<{ nonce: string; requestId: string }>();
