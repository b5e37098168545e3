import type { Database } from "#db/database.ts";
import type { BrowserRequest } from "./accounts/authenticator.ts";
import type { Actor, Context } from "./context.ts";
import { DomainError } from "./errors.ts";
import { MINUTE } from "./time.ts";

export type SignedInActor = Extract<Actor, { kind: "user" | "admin" }>;
export type AdminActor = Extract<Actor, { kind: "admin" }>;

/**
 * The context of an operation whose actor may run it. Only the functions of this file turn a `Context` into one, so a
 * function of core that takes one, a database or a transaction runs inside an operation that has authorised.
 */
export interface AuthorisedContext<Who extends Actor = Actor> extends Context {
  actor: Who;
  readonly db: Database;
}

/** After this time an admin enters the password again, and an owner without a password signs in with Google again. */
export const PASSWORD_VALID_MS = 15 * MINUTE;

/**
 * What an operation does, and whether an admin needs a recent password for it. Every operation that authorises a person names an
 * effect, also operations of buyers, because an admin may open every tool page.
 */
const NEEDS_RECENT_PASSWORD = {
  /** Lists, counts, previews: nothing changes, and no secret is in the result. */
  reads: false,
  /** What buyers do too, with their own account, money and pass. Only their own rights count. */
  "own-account": false,
  /** Notes and retries that give nobody anything. */
  "low-risk": false,
  /** A code, a part of a shared sign-in, or a link into an account. */
  "reveals-secret": true,
  "replaces-secret": true,
  /** What is on sale and what opens it, where buyers are sent and whom they call. */
  "changes-shop": true,
  /** A coupon may make a pass free. */
  "changes-price": true,
  /** Gives, moves, ends or takes a pass, an account or a device. */
  "changes-access": true,
  "moves-money": true,
  deletes: true,
} as const satisfies Record<string, boolean>;

export type Effect = keyof typeof NEEDS_RECENT_PASSWORD;

/**
 * A signed-in person. An admin, also one who acts as a buyer, needs a recent password for most effects, so that an
 * unattended browser or a copied session cookie is not enough. `confirmPassword` enters it again. An admin whose password the
 * shop made has the own account only until it is replaced.
 *
 * @throws DomainError 'unauthenticated'; 'password-needed' and 'password-change-needed' for an admin
 */
export function requireSignedIn(
  ctx: Context,
  effect: Effect,
): asserts ctx is AuthorisedContext<SignedInActor> {
  const { actor } = ctx;
  if (actor.kind !== "user" && actor.kind !== "admin") throw new DomainError("unauthenticated");
  const isOwn = effect === "own-account" || effect === "reads";
  if (actor.kind === "admin" && actor.mustChangePassword && !isOwn)
    throw new DomainError("password-change-needed");
  if (actor.kind === "admin" && NEEDS_RECENT_PASSWORD[effect] && !hasRecentPassword(ctx)) {
    throw new DomainError("password-needed");
  }
}

/**
 * An admin, with a recent password where the effect needs one.
 *
 * @throws DomainError 'unauthenticated' for a visitor, 'forbidden' for any other actor that is not an admin,
 *   'password-needed', 'password-change-needed'
 */
export function requireAdmin(ctx: Context, effect: Effect): asserts ctx is AuthorisedContext<AdminActor> {
  const { actor } = ctx;
  if (actor.kind === "user") throw new DomainError("forbidden");
  requireSignedIn(ctx, effect);
  if (actor.kind !== "admin") throw new DomainError("forbidden");
  if (actor.mustChangePassword) throw new DomainError("password-change-needed");
}

/** Whether the actor is an admin who entered the password in this session at most 15 minutes ago. */
export function hasRecentPassword({ actor, clock }: Context): boolean {
  if (actor.kind !== "admin" || !actor.passwordEnteredAt) return false;
  return clock.now().getTime() - actor.passwordEnteredAt.getTime() <= PASSWORD_VALID_MS;
}

/** For operations of the shop itself: jobs, webhooks, start-up. @throws DomainError 'forbidden' */
export function requireSystem(ctx: Context): asserts ctx is AuthorisedContext {
  if (ctx.actor.kind !== "system") throw new DomainError("forbidden");
}

/**
 * For the rows of a bulk action, whose right was checked when it was started: its admin is the actor of what follows, also in the
 * job that goes on with it.
 */
export function actForBulkAction(
  ctx: AuthorisedContext,
  bulkActionId: string,
  { userId, email }: Pick<AdminActor, "userId" | "email">,
): AuthorisedContext<AdminActor> {
  return { ...ctx, bulkActionId, actor: { kind: "admin", userId, email, sessionId: "" } };
}

/** For operations that need a person's browser. @throws DomainError 'forbidden' for jobs and start-up */
export function requireBrowser(ctx: Context): asserts ctx is AuthorisedContext & { browser: BrowserRequest } {
  if (ctx.actor.kind === "system" || ctx.browser === undefined) throw new DomainError("forbidden");
}

/**
 * For operations that anybody may run: what every visitor sees, and those whose input is the proof, such as a token. They
 * decide themselves what an actor gets.
 */
export function allowAnyone(ctx: Context): asserts ctx is AuthorisedContext {
  // Nobody is refused. The name says at the operation that this is meant.
}
