import { eq } from "drizzle-orm";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Context } from "#core/context.ts";
import { sessions } from "#db/tables/accounts.ts";
import { freshDatabase } from "#tests/database/database.ts";
import { openTestShop } from "#tests/fixtures/open-test-shop.ts";
import { createManualClock } from "#tests/manual-clock.ts";
import { DAY, HOUR } from "../time.ts";
import { isStillAdmin } from "./sessions.server.ts";

let shop: ReturnType<typeof openTestShop>;
beforeAll(async () => {
  shop = openTestShop(await freshDatabase(), { clock: createManualClock() });
});
afterAll(() => shop.close());

const endOfSession = () => new Date(shop.clock.now().getTime() + 60_000);

/** An actor whose session is in the database. */
async function signedIn(role: "user" | "admin"): Promise<{ ctx: Context; sessionId: string }> {
  const ctx = await shop.user(role);
  const { actor } = ctx;
  if (actor.kind !== role) throw new Error("another role");
  const { sessionId: id, userId } = actor;
  const [createdAt, updatedAt] = [shop.clock.now(), shop.clock.now()];
  await shop.db
    .insert(sessions)
    .values({ id, userId, token: id, expiresAt: endOfSession(), createdAt, updatedAt });
  return { ctx, sessionId: id };
}

test("an admin is one until the session ends, and asking does not extend it", async () => {
  const { ctx, sessionId } = await signedIn("admin");
  expect(await isStillAdmin(ctx)).toBe(true);
  const [session] = await shop.db.select().from(sessions).where(eq(sessions.id, sessionId));
  expect(session?.expiresAt).toEqual(endOfSession());
  await shop.db.delete(sessions).where(eq(sessions.id, sessionId));
  expect(await isStillAdmin(ctx)).toBe(false);
});

test("an admin whose session is idle for too long, or too old, is no longer an admin", async () => {
  const { ctx, sessionId } = await signedIn("admin");
  const ago = (ms: number) => new Date(shop.clock.now().getTime() - ms);
  const change = (times: { createdAt?: Date; updatedAt?: Date }) =>
    shop.db.update(sessions).set(times).where(eq(sessions.id, sessionId));
  await change({ updatedAt: ago(12 * HOUR) });
  expect(await isStillAdmin(ctx)).toBe(false);
  await change({ createdAt: ago(7 * DAY - 1), updatedAt: ago(12 * HOUR - 1) });
  expect(await isStillAdmin(ctx)).toBe(true);
  await change({ createdAt: ago(7 * DAY) });
  expect(await isStillAdmin(ctx)).toBe(false);
});

test("visitors, buyers, the system and an admin with the session of a buyer are none", async () => {
  const buyer = await signedIn("user");
  const admin = await shop.user("admin");
  const { sessionId } = buyer;
  const borrowed = { ...admin, actor: { ...admin.actor, sessionId } };
  for (const ctx of [shop.visitor(), shop.system(), buyer.ctx, borrowed])
    expect(await isStillAdmin(ctx)).toBe(false);
});
