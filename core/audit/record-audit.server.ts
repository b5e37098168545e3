import { isDeepStrictEqual } from "node:util";
import type { Executor } from "#db/database.ts";
import { auditEvents } from "#db/tables/operations.ts";
import { changed } from "#db/transaction.ts";
import type { Context } from "../context.ts";

/** The address of the browser, for the details of events about sign-ins; nothing for jobs and commands. */
export function addressOf({ browser }: Context): { ipAddress?: string } {
  return browser === undefined ? {} : { ipAddress: browser.ipAddress };
}

/** Records who did what to which subject, in the caller's transaction. `details` must hold no password, code or token. */
export async function recordAudit(
  ctx: Context,
  executor: Executor,
  event: { action: string; subjectType: string; subjectId?: string; details?: Record<string, unknown> },
): Promise<void> {
  const { actor, bulkActionId } = ctx;
  await executor.insert(auditEvents).values({
    actorKind: actor.kind,
    actorId: actor.kind === "user" || actor.kind === "admin" ? actor.userId : null,
    action: event.action,
    subjectType: event.subjectType,
    subjectId: event.subjectId ?? null,
    details: { ...event.details, ...(bulkActionId !== undefined && { bulkActionId }) },
    requestId: ctx.requestId,
    createdAt: ctx.clock.now(),
  });
  changed(executor, auditEvents);
}

/**
 * The fields of `after` whose value differs from `before`, as details of an audit event. The order of keys inside a value
 * does not count.
 */
export function changedFields(
  before: Readonly<Record<string, unknown>>,
  after: Readonly<Record<string, unknown>>,
): { before: Record<string, unknown>; after: Record<string, unknown> } {
  const changed = Object.keys(after).filter((key) => !isDeepStrictEqual(before[key], after[key]));
  const pick = (record: Readonly<Record<string, unknown>>) =>
    Object.fromEntries(changed.map((key) => [key, record[key] ?? null]));
  return { before: pick(before), after: pick(after) };
}
