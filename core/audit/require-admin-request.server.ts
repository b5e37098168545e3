import { createHash } from "node:crypto";
import { sql } from "drizzle-orm";
import { auditEvents } from "#db/tables/operations.ts";
import { changed } from "#db/transaction.ts";
import { requireAdmin } from "../authorise.ts";
import type { Context } from "../context.ts";
import { isDomainError } from "../errors.ts";
import { limitKeyOfAddress } from "../network.ts";
import { HOUR } from "../time.ts";

/**
 * For the entrances of the admin area, before they read a request: refuses everybody but an admin, and records the
 * refusal. A request with several loaders counts once. All refusals of one address in one hour of the clock are one event with
 * their count. Never refuses because of the record.
 *
 * @throws DomainError 'unauthenticated', 'forbidden'
 */
export async function requireAdminRequest(ctx: Context): Promise<void> {
  try {
    requireAdmin(ctx, "reads");
  } catch (error) {
    await countRefusal(ctx, isDomainError(error) ? error.code : "failed").catch((failure: unknown) =>
      ctx.log.error({ err: failure }, "a refused request of the admin area was not recorded"),
    );
    throw error;
  }
}

/** The contexts of requests that are counted. */
const counted = new WeakSet<Context>();

async function countRefusal(ctx: Context, reason: string): Promise<void> {
  const { actor, browser } = ctx;
  if (browser === undefined || counted.has(ctx)) return;
  counted.add(ctx);
  const now = ctx.clock.now();
  const actorId = actor.kind === "user" ? actor.userId : null;
  const facts = { ipAddress: browser.ipAddress, reason, count: 1, lastAt: now.toISOString() };
  await ctx.db
    .insert(auditEvents)
    .values({
      id: idOfHour(now, limitKeyOfAddress(browser.ipAddress)),
      actorKind: actor.kind,
      actorId,
      action: "admin.request-refused",
      subjectType: "user",
      subjectId: actorId,
      details: facts,
      requestId: ctx.requestId,
      createdAt: now,
    })
    .onConflictDoUpdate({
      target: auditEvents.id,
      set: {
        // An account that was used for one of the requests says more than none.
        actorKind: sql`case when excluded.actor_id is null then ${auditEvents.actorKind} else excluded.actor_kind end`,
        actorId: sql`coalesce(excluded.actor_id, ${auditEvents.actorId})`,
        subjectId: sql`coalesce(excluded.subject_id, ${auditEvents.subjectId})`,
        details: sql`excluded.details || jsonb_build_object('count', (${auditEvents.details}->>'count')::int + 1)`,
      },
    });
  changed(ctx.db, auditEvents);
}

/** The UUIDv7 of the event of this hour and this key, so that parallel requests meet in one row. */
function idOfHour(now: Date, key: string): string {
  const hour = Math.floor(now.getTime() / HOUR) * HOUR;
  const time = hour.toString(16).padStart(12, "0");
  const hash = createHash("sha256").update(`admin.request-refused ${hour} ${key}`).digest("hex");
  return [
    time.slice(0, 8),
    time.slice(8),
    `7${hash.slice(0, 3)}`,
    `8${hash.slice(3, 6)}`,
    hash.slice(6, 18),
  ].join("-");
}
