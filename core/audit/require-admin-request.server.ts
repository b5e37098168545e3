import { eq, sql } from "drizzle-orm";
import { uuidv7 } from "uuidv7";
import type { Transaction } from "#db/database.ts";
import { adminRefusals, auditEvents } from "#db/tables/operations.ts";
import { changed, inTransaction } from "#db/transaction.ts";
import { type AuthorisedContext, allowAnyone, requireAdmin } from "../authorise.ts";
import type { Context } from "../context.ts";
import { isDomainError } from "../errors.ts";
import { limitKeyOfAddress } from "../rate-limits/network.ts";
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
    allowAnyone(ctx);
    await countRefusal(ctx, isDomainError(error) ? error.code : "failed").catch((failure: unknown) =>
      ctx.log.error({ err: failure }, "a refused request of the admin area was not recorded"),
    );
    throw error;
  }
}

/** The contexts of requests that are counted. */
const counted = new WeakSet<Context>();

async function countRefusal(ctx: AuthorisedContext, reason: string): Promise<void> {
  const { actor, browser } = ctx;
  if (browser === undefined || counted.has(ctx)) return;
  counted.add(ctx);
  const now = ctx.clock.now();
  const actorId = actor.kind === "user" ? actor.userId : null;
  await inTransaction(ctx.db, async (tx) => {
    const { eventId, count } = await countOne(tx, limitKeyOfAddress(browser.ipAddress), now);
    const details = { ipAddress: browser.ipAddress, reason, count, lastAt: now.toISOString() };
    const who = { actorKind: actor.kind, actorId, subjectId: actorId };
    if (count === 1)
      await tx.insert(auditEvents).values({
        id: eventId,
        ...who,
        action: "admin.request-refused",
        subjectType: "user",
        details,
        requestId: ctx.requestId,
        createdAt: now,
      });
    // An account that was used for one of the requests says more than none.
    else
      await tx
        .update(auditEvents)
        .set({ details, ...(actorId !== null && who) })
        .where(eq(auditEvents.id, eventId));
    changed(tx, auditEvents);
  });
}

/** Counts a refusal of this hour. Parallel requests wait for each other here. */
async function countOne(tx: Transaction, addressKey: string, now: Date) {
  const hour = new Date(Math.floor(now.getTime() / HOUR) * HOUR);
  const [row] = await tx
    .insert(adminRefusals)
    .values({ addressKey, hour, eventId: uuidv7(), count: 1 })
    .onConflictDoUpdate({
      target: [adminRefusals.addressKey, adminRefusals.hour],
      set: { count: sql`${adminRefusals.count} + 1` },
    })
    .returning({ eventId: adminRefusals.eventId, count: adminRefusals.count });
  if (row === undefined) throw new Error("a refusal was not counted");
  changed(tx, adminRefusals);
  return row;
}
