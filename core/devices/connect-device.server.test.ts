import { and, eq, isNull, sql } from "drizzle-orm";
import { uuidv7 } from "uuidv7";
import { afterAll, expect, test, vi } from "vitest";
import { sessions, users } from "#db/tables/accounts.ts";
import { devices, deviceTickets } from "#db/tables/devices.ts";
import { auditEvents } from "#db/tables/operations.ts";
import { inTransaction } from "#db/transaction.ts";
import { openDeviceShop } from "#tests/fixtures/device-shop.ts";
import { addDays, DAY } from "../time.ts";
import { connectDevice, issueTicket } from "./connect-device.server.ts";
import { readDeviceStatus } from "./device-sessions.server.ts";
import { listMyDevices, releaseDevice, renameDevice } from "./manage-devices.server.ts";
import { CONNECTIONS_PER_DAY, TICKET_VALID_MS } from "./rules.ts";

const shop = await openDeviceShop();
const { buyer, connect, db, visitor } = shop;
afterAll(() => shop.close());

const connectedDevices = (ctx: { actor: { userId: string } }) =>
  db.$count(devices, and(eq(devices.userId, ctx.actor.userId), isNull(devices.releasedAt)));
const input = (ticket: string, installationId: string = uuidv7()) => ({
  ticket,
  installationId,
  name: "Chrome on Linux",
  version: "1.0.0",
});

test("a ticket is issued to signed-in users only, and the database holds no ticket and no token", async () => {
  await expect(issueTicket(visitor())).rejects.toMatchObject({ code: "unauthenticated" });
  await expect(issueTicket(shop.system())).rejects.toMatchObject({ code: "unauthenticated" });
  const ctx = await buyer();
  const ticket = await issueTicket(ctx);
  const { token } = await connectDevice(visitor(), input(ticket));
  const stored = JSON.stringify([await db.select().from(deviceTickets), await db.select().from(devices)]);
  expect(stored).not.toContain(ticket);
  expect(stored).not.toContain(token);
});

test("a session that is being ended gets no ticket, so that none is left of a take-over", async () => {
  const ctx = await buyer();
  const { userId } = ctx.actor;
  let asked: Promise<unknown> = Promise.resolve();
  await inTransaction(db, async (tx) => {
    await tx.delete(sessions).where(eq(sessions.userId, userId));
    asked = expect(issueTicket(ctx)).rejects.toMatchObject({ code: "unauthenticated" });
    await vi.waitFor(async () => {
      const { rows } = await db.execute(sql`select 1 from pg_locks where not granted`);
      expect(rows).not.toEqual([]);
    });
    await tx.delete(deviceTickets).where(eq(deviceTickets.userId, userId));
  });
  await asked;
  expect(await db.$count(deviceTickets, eq(deviceTickets.userId, userId))).toBe(0);
});

test("a ticket connects one installation, once, and within a minute", async () => {
  const ctx = await buyer();
  const ticket = await issueTicket(ctx);
  await connectDevice(visitor(), input(ticket));
  await expect(connectDevice(visitor(), input(ticket))).rejects.toMatchObject({ code: "invalid-ticket" });
  const late = await issueTicket(ctx);
  shop.clock.advance(TICKET_VALID_MS);
  await expect(connectDevice(visitor(), input(late))).rejects.toMatchObject({ code: "invalid-ticket" });
  await expect(connectDevice(visitor(), input("made-up"))).rejects.toMatchObject({ code: "invalid-ticket" });
  expect(await connectedDevices(ctx)).toBe(1);
});

test("a ticket that is sent 60 times in parallel connects one installation", async () => {
  const ctx = await buyer();
  const ticket = await issueTicket(ctx);
  const results = await Promise.allSettled(
    Array.from({ length: 60 }, () => connectDevice(visitor(), input(ticket))),
  );
  expect(results.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
  expect(await connectedDevices(ctx)).toBe(1);
});

test("60 installations that connect in parallel never exceed the limit of the account", async () => {
  const ctx = await buyer();
  const tickets = await Promise.all(Array.from({ length: 60 }, () => issueTicket(ctx)));
  const results = await Promise.allSettled(tickets.map((ticket) => connectDevice(visitor(), input(ticket))));
  expect(results.filter(({ status }) => status === "fulfilled")).toHaveLength(2);
  const refusals = results.flatMap((result) => (result.status === "rejected" ? [result.reason.code] : []));
  expect(new Set(refusals)).toEqual(new Set(["device-limit-reached"]));
  expect(await connectedDevices(ctx)).toBe(2);
});

test("an installation that connects again, also 20 times in parallel, is counted once and gets a new token", async () => {
  const ctx = await buyer();
  const installationId = uuidv7();
  const first = await connect(ctx, installationId);
  const again = await Promise.all(Array.from({ length: 20 }, () => connect(ctx, installationId)));
  expect(new Set([first, ...again].map(({ token }) => token)).size).toBe(21);
  expect(await connectedDevices(ctx)).toBe(1);
});

test("the same installation can be connected to two accounts", async () => {
  const [one, two] = [await buyer(), await buyer()];
  const installationId = uuidv7();
  await connect(one, installationId);
  await connect(two, installationId);
  expect(await connectedDevices(one)).toBe(1);
  expect(await connectedDevices(two)).toBe(1);
});

test("an account connects at most five installations within a day", async () => {
  const ctx = await buyer();
  for (let count = 0; count < CONNECTIONS_PER_DAY; count++) {
    await connect(ctx);
    await releaseAll(ctx);
  }
  await expect(connect(ctx)).rejects.toMatchObject({ code: "device-connections-exceeded" });
  shop.clock.advance(DAY + 1);
  await connect(ctx);
  expect(await connectedDevices(ctx)).toBe(1);
});

async function releaseAll(ctx: { actor: { userId: string } }) {
  await db
    .update(devices)
    .set({ releasedAt: shop.clock.now(), releasedBy: "admin" })
    .where(eq(devices.userId, ctx.actor.userId));
}

test("a device that was not used for 180 days is no longer connected, and its slot is free", async () => {
  const ctx = await buyer({ expiresAt: addDays(shop.clock.now(), 700) });
  const installationId = uuidv7();
  const [unused, used] = [await connect(ctx, installationId), await connect(ctx)];
  shop.clock.advance(100 * DAY);
  await readDeviceStatus(visitor(), used.token);
  shop.clock.advance(80 * DAY);
  await expect(readDeviceStatus(visitor(), unused.token)).rejects.toMatchObject({
    code: "device-not-connected",
  });
  await readDeviceStatus(visitor(), used.token);
  const listed = await listMyDevices(ctx);
  expect(listed).toMatchObject({ devices: [{ lastSeenAt: shop.clock.now() }], limit: 2, releasesLeft: 2 });
  const [gone] = await db.select().from(devices).where(eq(devices.installationId, installationId));
  const deviceId = gone?.id ?? "";
  await expect(renameDevice(ctx, { deviceId, name: "Old" })).rejects.toMatchObject({ code: "not-found" });
  await expect(releaseDevice(ctx, { deviceId })).rejects.toMatchObject({ code: "not-found" });
  // The same installation, and no third device.
  await connect(ctx, installationId);
  await expect(connect(ctx)).rejects.toMatchObject({ code: "device-limit-reached" });
  await expect(readDeviceStatus(visitor(), unused.token)).rejects.toMatchObject({
    code: "device-not-connected",
  });
});

test("a device that was used 179 days ago is connected", async () => {
  const ctx = await buyer();
  const { token } = await connect(ctx);
  shop.clock.advance(180 * DAY - 1);
  await readDeviceStatus(visitor(), token);
});

test("an account that is disabled after the ticket was issued is refused", async () => {
  const ctx = await buyer();
  const ticket = await issueTicket(ctx);
  await db.update(users).set({ isActive: false }).where(eq(users.id, ctx.actor.userId));
  await expect(connectDevice(visitor(), input(ticket))).rejects.toMatchObject({ code: "user-disabled" });
  expect(await connectedDevices(ctx)).toBe(0);
});

test("malformed input is refused and uses no ticket", async () => {
  const ctx = await buyer();
  const ticket = await issueTicket(ctx);
  for (const wrong of [
    { ...input(ticket), installationId: "1" },
    { ...input(ticket), name: " " },
    { ...input(ticket), name: "x".repeat(61) },
    { ...input(ticket), version: "" },
    { ...input(ticket), ticket: ["x"] },
    {},
  ]) {
    await expect(connectDevice(visitor(), wrong)).rejects.toMatchObject({ code: "invalid-input" });
  }
  await connectDevice(visitor(), input(ticket));
  expect(await connectedDevices(ctx)).toBe(1);
});

test("a connection and a release are audited with the name of the device and without its token", async () => {
  const ctx = await buyer();
  const { token } = await connect(ctx, uuidv7(), "My laptop");
  const [device] = await db.select().from(devices).where(eq(devices.userId, ctx.actor.userId));
  await releaseDevice(ctx, { deviceId: device?.id ?? "" });
  const rows = await db.select().from(auditEvents).where(eq(auditEvents.subjectId, ctx.actor.userId));
  expect(rows.map(({ action, details }) => [action, details.name])).toEqual([
    ["device.connected", "My laptop"],
    ["device.released", "My laptop"],
  ]);
  expect(JSON.stringify(rows)).not.toContain(token);
});
