import type { BrowserRequest } from "./accounts/authenticator.ts";
import type { Actor, Context } from "./context.ts";
import { DomainError } from "./errors.ts";

export type SignedInActor = Extract<Actor, { kind: "user" | "admin" }>;

/** @throws DomainError 'unauthenticated' */
export function requireSignedIn(ctx: Context): SignedInActor {
  if (ctx.actor.kind === "user" || ctx.actor.kind === "admin") return ctx.actor;
  throw new DomainError("unauthenticated");
}

/** @throws DomainError 'unauthenticated' for a visitor, 'forbidden' for any other actor that is not an admin */
export function requireAdmin(ctx: Context): SignedInActor {
  const actor = requireSignedIn(ctx);
  if (actor.kind !== "admin") throw new DomainError("forbidden");
  return actor;
}

/** For operations of the shop itself: jobs, webhooks, start-up. @throws DomainError 'forbidden' */
export function requireSystem(ctx: Context): void {
  if (ctx.actor.kind !== "system") throw new DomainError("forbidden");
}

/** For operations that need a person's browser. @throws DomainError 'forbidden' for jobs and start-up */
export function requireBrowser(ctx: Context): BrowserRequest {
  if (ctx.actor.kind === "system" || ctx.browser === undefined) throw new DomainError("forbidden");
  return ctx.browser;
}
