import { and, eq, isNull } from "drizzle-orm";
import { uuidv7 } from "uuidv7";
import { afterAll, expect, test } from "vitest";
import { users } from "#db/tables/accounts.ts";
import { devices } from "#db/tables/devices.ts";
import { settings } from "#db/tables/operations.ts";
import { openDeviceShop } from "#tests/fixtures/device-shop.ts";
import { deleteUser } from "../accounts/delete-account.server.ts";
import { STORE_SETTINGS_KEY } from "../catalog/store-settings.server.ts";
import { DAY } from "../time.ts";
import { readDeviceStatus } from "./device-sessions.server.ts";
import {
  listDevicesOfUser,
  listMyDevices,
  releaseDevice,
  releaseDeviceOfUser,
  renameDevice,
} from "./manage-devices.server.ts";

const shop = await openDeviceShop();
const { buyer, connect, db, owner, visitor } = shop;
afterAll(() => shop.close());

/** A buyer with two connected devices, oldest first. */
async function buyerWithDevices() {
  const ctx = await buyer();
  const tokens = [(await connect(ctx)).token, (await connect(ctx)).token];
  const [first, second] = (await listMyDevices(ctx)).devices.map(({ id }) => id);
  if (first === undefined || second === undefined) throw new Error("there are not two devices");
  return { ctx, tokens, first, second };
}

test("a buyer sees only their own devices, equal names with a number, and a visitor sees none", async () => {
  const { ctx, first, second } = await buyerWithDevices();
  const mine = await listMyDevices(ctx);
  expect(mine).toMatchObject({ limit: 2, releasesLeft: 2 });
  expect(mine.devices.map(({ id, name, shownName }) => [id, name, shownName])).toEqual([
    [first, "Chrome on Linux", "Chrome on Linux"],
    [second, "Chrome on Linux", "Chrome on Linux 2"],
  ]);
  expect(
    (await listDevicesOfUser(owner, { userId: ctx.actor.userId })).map(({ shownName }) => shownName),
  ).toEqual(["Chrome on Linux", "Chrome on Linux 2"]);
  await renameDevice(ctx, { deviceId: first, name: "At home" });
  expect((await listMyDevices(ctx)).devices.map(({ shownName }) => shownName)).toEqual([
    "At home",
    "Chrome on Linux",
  ]);
  expect((await listMyDevices(await buyer())).devices).toEqual([]);
  await expect(listMyDevices(visitor())).rejects.toMatchObject({ code: "unauthenticated" });
});

test("a release ends the token and frees the slot at once", async () => {
  const { ctx, tokens, first } = await buyerWithDevices();
  await expect(connect(ctx)).rejects.toMatchObject({ code: "device-limit-reached" });
  await releaseDevice(ctx, { deviceId: first });
  await expect(readDeviceStatus(visitor(), tokens[0] ?? "")).rejects.toMatchObject({
    code: "device-not-connected",
  });
  await readDeviceStatus(visitor(), tokens[1] ?? "");
  await connect(ctx);
  expect((await listMyDevices(ctx)).devices).toHaveLength(2);
});

test("a device is released by its owner once, and by nobody else", async () => {
  const { ctx, first } = await buyerWithDevices();
  const other = await buyer();
  await expect(releaseDevice(visitor(), { deviceId: first })).rejects.toMatchObject({
    code: "unauthenticated",
  });
  await expect(releaseDevice(other, { deviceId: first })).rejects.toMatchObject({ code: "not-found" });
  await expect(releaseDevice(ctx, { deviceId: "x" })).rejects.toMatchObject({ code: "invalid-input" });
  await releaseDevice(ctx, { deviceId: first });
  await expect(releaseDevice(ctx, { deviceId: first })).rejects.toMatchObject({ code: "not-found" });
});

test("a buyer releases at most two devices in 30 days, also with 60 parallel requests", async () => {
  const ctx = await buyer();
  await storeDeviceRules({ perUser: 5 });
  for (let count = 0; count < 5; count++) await connect(ctx);
  const ids = (await listMyDevices(ctx)).devices.map(({ id }) => id);
  const results = await Promise.allSettled(
    Array.from({ length: 60 }, (_, at) => releaseDevice(ctx, { deviceId: ids[at % 5] ?? "" })),
  );
  await storeDeviceRules(null);
  expect(results.filter(({ status }) => status === "fulfilled")).toHaveLength(2);
  const left = and(eq(devices.userId, ctx.actor.userId), isNull(devices.releasedAt));
  expect(await db.$count(devices, left)).toBe(3);
  expect((await listMyDevices(ctx)).releasesLeft).toBe(0);
  shop.clock.advance(30 * DAY + 1);
  expect((await listMyDevices(ctx)).releasesLeft).toBe(2);
});

test("the owner's settings replace the limits", async () => {
  const ctx = await buyer();
  await storeDeviceRules({ perUser: 1, releasesPer30Days: 0 });
  await connect(ctx);
  await expect(connect(ctx)).rejects.toMatchObject({ code: "device-limit-reached", details: { limit: 1 } });
  const { devices: mine } = await listMyDevices(ctx);
  await expect(releaseDevice(ctx, { deviceId: mine[0]?.id ?? "" })).rejects.toMatchObject({
    code: "device-releases-exceeded",
    details: { limit: 0 },
  });
  await storeDeviceRules(null);
});

async function storeDeviceRules(rules: { perUser?: number; releasesPer30Days?: number } | null) {
  const value = { name: "Shop", ...(rules && { devices: rules }) };
  await db
    .insert(settings)
    .values({ key: STORE_SETTINGS_KEY, value })
    .onConflictDoUpdate({ target: settings.key, set: { value } });
}

test("an admin lists and releases devices of a user, which does not count as the user's release", async () => {
  const { ctx, first, second } = await buyerWithDevices();
  const { userId } = ctx.actor;
  expect((await listDevicesOfUser(owner, { userId })).map(({ id }) => id)).toEqual([first, second]);
  await releaseDeviceOfUser(owner, { userId, deviceId: first });
  await expect(releaseDeviceOfUser(owner, { userId, deviceId: first })).rejects.toMatchObject({
    code: "not-found",
  });
  expect(await listMyDevices(ctx)).toMatchObject({ releasesLeft: 2, devices: [{ id: second }] });
  const other = await buyer();
  for (const [actor, code] of [
    [visitor(), "unauthenticated"],
    [ctx, "forbidden"],
  ] as const) {
    await expect(listDevicesOfUser(actor, { userId })).rejects.toMatchObject({ code });
    await expect(releaseDeviceOfUser(actor, { userId, deviceId: second })).rejects.toMatchObject({ code });
  }
  await expect(
    releaseDeviceOfUser(owner, { userId: other.actor.userId, deviceId: second }),
  ).rejects.toMatchObject({ code: "not-found" });
});

test("a device is renamed by its owner only", async () => {
  const { ctx, first } = await buyerWithDevices();
  await renameDevice(ctx, { deviceId: first, name: "  Work laptop " });
  expect((await listMyDevices(ctx)).devices[0]?.name).toBe("Work laptop");
  await expect(renameDevice(visitor(), { deviceId: first, name: "Mine" })).rejects.toMatchObject({
    code: "unauthenticated",
  });
  await expect(renameDevice(await buyer(), { deviceId: first, name: "Mine" })).rejects.toMatchObject({
    code: "not-found",
  });
  for (const wrong of [
    { deviceId: first, name: " " },
    { deviceId: uuidv7(), name: "x".repeat(61) },
  ]) {
    await expect(renameDevice(ctx, wrong)).rejects.toMatchObject({ code: "invalid-input" });
  }
  expect((await listMyDevices(ctx)).devices[0]?.name).toBe("Work laptop");
});

test("a disabled account releases and renames no device, also in a session that began before", async () => {
  const { ctx, first } = await buyerWithDevices();
  await db.update(users).set({ isActive: false }).where(eq(users.id, ctx.actor.userId));
  const refusal = { code: "user-disabled" };
  await expect(releaseDevice(ctx, { deviceId: first })).rejects.toMatchObject(refusal);
  await expect(renameDevice(ctx, { deviceId: first, name: "Mine" })).rejects.toMatchObject(refusal);
  const listed = await listDevicesOfUser(owner, { userId: ctx.actor.userId });
  expect(listed.map(({ name }) => name)).toEqual(["Chrome on Linux", "Chrome on Linux"]);
});

test("an account renames devices 30 times an hour, and another account is not affected", async () => {
  const { ctx, first, second } = await buyerWithDevices();
  const other = await buyerWithDevices();
  const rename = (deviceId: string, at: number) => renameDevice(ctx, { deviceId, name: `Name ${at}` });
  const results = await Promise.allSettled(
    Array.from({ length: 40 }, (_, at) => rename(at % 2 === 0 ? first : second, at)),
  );
  expect(results.filter(({ status }) => status === "fulfilled")).toHaveLength(30);
  await expect(rename(first, 40)).rejects.toMatchObject({ code: "renames-too-fast" });
  expect((await listMyDevices(ctx)).devices.map(({ name }) => name)).not.toContain("Name 40");
  await renameDevice(other.ctx, { deviceId: other.first, name: "Mine" });
});

test("the deletion of a user deletes the user's devices", async () => {
  const { ctx, tokens } = await buyerWithDevices();
  await deleteUser(owner, { userId: ctx.actor.userId });
  expect(await db.$count(devices, eq(devices.userId, ctx.actor.userId))).toBe(0);
  await expect(readDeviceStatus(visitor(), tokens[0] ?? "")).rejects.toMatchObject({
    code: "device-not-connected",
  });
});
