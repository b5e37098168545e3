import type { Context } from "../context.ts";
import { DomainError } from "../errors.ts";
import type { BrowserRequest } from "./authenticator.ts";

/** For verbs that only make sense for a person at a browser. @throws DomainError 'forbidden' for jobs and start-up */
export function requireBrowser(ctx: Context): BrowserRequest {
  if (ctx.actor.kind === "system" || ctx.browser === undefined) throw new DomainError("forbidden");
  return ctx.browser;
}
