import type { Actor, Context } from "./context.ts";
import { DomainError } from "./errors.ts";

export type SignedInActor = Extract<Actor, { kind: "user" | "admin" }>;

/** @throws DomainError 'unauthenticated' */
export function requireSignedIn(ctx: Context): SignedInActor {
  if (ctx.actor.kind === "user" || ctx.actor.kind === "admin") return ctx.actor;
  throw new DomainError("unauthenticated");
}

/** @throws DomainError 'unauthenticated' for a visitor, 'forbidden' for anyone else who is not an admin */
export function requireAdmin(ctx: Context): SignedInActor {
  const actor = requireSignedIn(ctx);
  if (actor.kind !== "admin") throw new DomainError("forbidden");
  return actor;
}

/** For verbs of the shop itself: jobs, webhooks, start-up. @throws DomainError 'forbidden' */
export function requireSystem(ctx: Context): void {
  if (ctx.actor.kind !== "system") throw new DomainError("forbidden");
}
