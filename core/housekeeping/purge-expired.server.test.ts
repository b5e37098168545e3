import { eq, sql } from "drizzle-orm";
import { uuidv7, V7Generator } from "uuidv7";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { sessions, users, verifications } from "#db/tables/accounts.ts";
import { rateLimits } from "#db/tables/operations.ts";
import { gatewayEvents } from "#db/tables/payments.ts";
import { startTestShop, type TestShop } from "../../tools/testing/shop.ts";
import { writePayment } from "../reports/testing/books.ts";
import { addDays, DAY } from "../time.ts";
import { purgeExpired } from "./purge-expired.server.ts";

let shop: TestShop;
beforeAll(async () => {
  shop = await startTestShop();
});
afterAll(() => shop.close());
beforeEach(async () => {
  await shop.db.execute(sql`truncate gateway_events, sessions, verifications, rate_limits`);
});

const daysAgo = (days: number, ms = 0) => new Date(addDays(shop.clock.now(), -days).getTime() - ms);
const purge = () => purgeExpired(shop.system());
const nothing = { events: 0, sessions: 0, verifications: 0, rateLimits: 0 };

function event(createdAt: Date, handledAt: Date | null = createdAt) {
  const id = new V7Generator().generateOrResetCore(createdAt.getTime(), 10_000).toString();
  return {
    id,
    createdAt,
    handledAt,
    gateway: "sandbox",
    eventId: id,
    type: "payment.captured",
    payload: "{}",
  };
}

test("webhooks handled over 90 days ago go, the others stay", async () => {
  const recent = event(daysAgo(89));
  const handledLate = event(daysAgo(200), daysAgo(90));
  const unhandled = event(daysAgo(400), null);
  await shop.db.insert(gatewayEvents).values([event(daysAgo(90, 1)), event(daysAgo(500))]);
  await shop.db.insert(gatewayEvents).values([recent, handledLate, unhandled]);
  expect(await purge()).toEqual({ ...nothing, events: 2 });
  const left = await shop.db.select({ id: gatewayEvents.id }).from(gatewayEvents);
  expect(left.map(({ id }) => id).sort()).toEqual([recent.id, handledLate.id, unhandled.id].sort());
});

test("what expired over a day ago goes, what expired since then stays", async () => {
  const { actor } = await shop.user();
  const moments = [daysAgo(1, 1), daysAgo(1), daysAgo(-1)];
  for (const expiresAt of moments) {
    await shop.db.insert(sessions).values({ userId: actor.userId, token: uuidv7(), expiresAt });
    await shop.db.insert(verifications).values({ identifier: uuidv7(), value: "v", expiresAt });
    await shop.db.insert(rateLimits).values({ key: uuidv7(), expire: expiresAt.getTime() });
  }
  await shop.db.insert(rateLimits).values({ key: "never", expire: null });
  expect(await purge()).toEqual({ ...nothing, sessions: 1, verifications: 1, rateLimits: 1 });
  expect(await shop.db.select({ at: sessions.expiresAt }).from(sessions)).toEqual([
    { at: moments[1] },
    { at: moments[2] },
  ]);
  expect(await purge()).toEqual(nothing);
});

test("more than one batch goes in one run, and by two runs at once", async () => {
  await shop.db.execute(sql`
    insert into rate_limits (key, expire) select 'key ' || n, ${daysAgo(2).getTime()} from generate_series(1, 1200) n`);
  const runs = await Promise.all([purge(), purge()]);
  expect(runs.reduce((sum, { rateLimits: rows }) => sum + rows, 0)).toBe(1200);
  expect(await shop.db.$count(rateLimits)).toBe(0);
});

test("money and people stay, however old", async () => {
  const refunded = { attempt: { outcome: "refund" as const }, refunds: [{}] };
  const { email } = await writePayment(shop, refunded);
  const rows = async () => {
    const { rows } = await shop.db.execute(sql`
      select (select count(*) from user_purchases) as purchases, (select count(*) from payment_orders) as orders,
        (select count(*) from payment_attempts) as attempts, (select count(*) from refunds) as refunds,
        (select count(*) from users) as users`);
    return rows;
  };
  const before = await rows();
  const now = shop.clock.now();
  shop.clock.advance(3650 * DAY);
  await purge();
  shop.clock.set(now);
  expect(await rows()).toEqual(before);
  expect(await shop.db.$count(users, eq(users.email, email))).toBe(1);
});

test("only the shop itself cleans up", async () => {
  await expect(purgeExpired(shop.visitor())).rejects.toMatchObject({ code: "forbidden" });
  await expect(purgeExpired(await shop.user("admin"))).rejects.toMatchObject({ code: "forbidden" });
});
