import type { BrowserRequest } from "./accounts/authenticator.ts";
import type { Actor, Context } from "./context.ts";
import { DomainError } from "./errors.ts";
import { MINUTE } from "./time.ts";

export type SignedInActor = Extract<Actor, { kind: "user" | "admin" }>;
export type AdminActor = Extract<Actor, { kind: "admin" }>;

/** After this time an admin enters the password again before a refund, a deletion or the reveal of a secret. */
const PASSWORD_VALID_MS = 15 * MINUTE;

/** @throws DomainError 'unauthenticated' */
export function requireSignedIn(ctx: Context): SignedInActor {
  if (ctx.actor.kind === "user" || ctx.actor.kind === "admin") return ctx.actor;
  throw new DomainError("unauthenticated");
}

/** @throws DomainError 'unauthenticated' for a visitor, 'forbidden' for any other actor that is not an admin */
export function requireAdmin(ctx: Context): AdminActor {
  const actor = requireSignedIn(ctx);
  if (actor.kind !== "admin") throw new DomainError("forbidden");
  return actor;
}

/**
 * For an admin's reveals, refunds and deletions: the password was entered in this session at most 15 minutes ago, so
 * that an unattended browser or a copied session cookie is not enough. `confirmPassword` enters it again.
 *
 * @throws DomainError 'unauthenticated', 'forbidden', 'password-needed'
 */
export function requireRecentPassword(ctx: Context): AdminActor {
  const actor = requireAdmin(ctx);
  const enteredAt = actor.passwordEnteredAt?.getTime() ?? Number.NEGATIVE_INFINITY;
  if (ctx.clock.now().getTime() - enteredAt > PASSWORD_VALID_MS) throw new DomainError("password-needed");
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
