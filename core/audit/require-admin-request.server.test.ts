import { sql } from "drizzle-orm";
import { afterAll, expect, test } from "vitest";
import { auditEvents } from "#db/tables/operations.ts";
import { freshDatabase } from "#tests/database/database.ts";
import { openTestShop, withOldPassword } from "#tests/fixtures/open-test-shop.ts";
import { createManualClock } from "#tests/manual-clock.ts";
import type { Context } from "../context.ts";
import { HOUR } from "../time.ts";
import { requireAdminRequest } from "./require-admin-request.server.ts";

const shop = openTestShop(await freshDatabase(), { clock: createManualClock() });
afterAll(() => shop.close());

const from = (ctx: Context, ipAddress: string): Context => ({
  ...ctx,
  browser: { headers: new Headers(), ipAddress },
});
/** Each request has a context of its own. */
const ask = (ctx: Context) => requireAdminRequest({ ...ctx }).catch((error: unknown) => error);
const rows = () =>
  shop.db
    .select({ kind: auditEvents.actorKind, actorId: auditEvents.actorId, details: auditEvents.details })
    .from(auditEvents)
    .orderBy(auditEvents.id);
const countOf = (ipAddress: string, count: number) => ({ details: { ipAddress, count } });

test("the refusals of one address in an hour are one event with their exact count, also in parallel", async () => {
  const buyer = await shop.user();
  const visitor = from(shop.visitor(), "203.0.113.7");
  const refused = await Promise.all(Array.from({ length: 40 }, () => ask(visitor)));
  for (const error of refused) expect(error).toMatchObject({ code: "unauthenticated" });
  expect(await rows()).toMatchObject([{ kind: "visitor", actorId: null, ...countOf("203.0.113.7", 40) }]);
  // The account that was used at this address stays named.
  expect(await ask(from(buyer, "203.0.113.7"))).toMatchObject({ code: "forbidden" });
  await ask(visitor);
  expect(await rows()).toMatchObject([
    { kind: "user", actorId: buyer.actor.userId, ...countOf("203.0.113.7", 42) },
  ]);
  // The addresses of one subscriber are one.
  await ask(from(shop.visitor(), "2001:db8::1"));
  await ask(from(shop.visitor(), "2001:db8::2"));
  expect(await rows()).toHaveLength(2);
  shop.clock.advance(HOUR);
  await ask(visitor);
  expect(await rows()).toMatchObject([{}, {}, countOf("203.0.113.7", 1)]);
});

test("the count of an hour does not depend on what the audit log has", async () => {
  const address = "203.0.113.20";
  const visitor = from(shop.visitor(), address);
  const at = sql`${auditEvents.details} ->> 'ipAddress' = ${address}`;
  await ask(visitor);
  await shop.db
    .update(auditEvents)
    .set({ details: { ipAddress: address } })
    .where(at);
  await ask(visitor);
  expect((await rows()).filter(({ details }) => details.ipAddress === address)).toMatchObject([
    countOf(address, 2),
  ]);
});

test("an admin passes, also without a recent password, and is not recorded", async () => {
  const before = await rows();
  const admin = from(await shop.user("admin"), "203.0.113.8");
  await requireAdminRequest(admin);
  await requireAdminRequest(withOldPassword(admin));
  expect(await rows()).toEqual(before);
});

test("a request is refused all the same when the refusal cannot be recorded", async () => {
  const broken = { ...from(shop.visitor(), "203.0.113.9"), requestId: "\u0000" };
  expect(await ask(broken)).toMatchObject({ code: "unauthenticated" });
});

test("a request that is refused by several loaders counts once", async () => {
  const before = await rows();
  const request = from(await shop.user(), "203.0.113.10");
  await Promise.allSettled(Array.from({ length: 3 }, () => requireAdminRequest(request)));
  expect((await rows()).slice(before.length)).toMatchObject([countOf("203.0.113.10", 1)]);
});
