import { afterAll, expect, test } from "vitest";
import { rateLimits } from "#db/tables/operations.ts";
import { openDeviceShop } from "#tests/fixtures/device-shop.ts";
import { createAccessCode } from "../access-codes/manage-access-codes.server.ts";
import { addDays } from "../time.ts";
import { readDeviceStatus, redeemAccessCode } from "./device-sessions.server.ts";

const shop = await openDeviceShop();
const { buyer, connect, visitor } = shop;
afterAll(() => shop.close());

const status = (token: string | null) => readDeviceStatus(visitor(), token);
const redeem = (token: string, accessCode: string) => redeemAccessCode(visitor(), token, { accessCode });

test("the sessions of several tools end with the pass of each, and those of another device are not shown", async () => {
  const other = await shop.tool({ name: "Other", servers: [{ id: "x", name: "X", url: null }] });
  await createAccessCode(shop.owner, {
    toolId: other.id,
    serverName: "X",
    simpleCode: "CODE-OTHER",
    isActive: true,
  });
  const ctx = await buyer();
  const soon = addDays(shop.clock.now(), 2);
  await shop.pass(ctx, { toolId: other.id, toolName: other.name, expiresAt: soon });
  const [device, secondDevice] = [await connect(ctx), await connect(ctx)];
  const stranger = await connect(await buyer());
  await redeem(device.token, "CODE-ONE");
  await redeem(device.token, "CODE-OTHER");
  await redeem(secondDevice.token, "CODE-ONE");

  const { passes, sessions } = await status(device.token);
  expect(passes.map(({ toolName }) => toolName)).toEqual(["Other", "Chat"]);
  expect(new Set(sessions.map(({ toolName, endsAt }) => `${toolName} ${endsAt?.toISOString()}`))).toEqual(
    new Set([`Other ${soon.toISOString()}`, `Chat ${addDays(shop.clock.now(), 29).toISOString()}`]),
  );
  expect((await status(secondDevice.token)).sessions).toMatchObject([{ toolName: "Chat" }]);
  expect((await status(stranger.token)).sessions).toEqual([]);

  shop.clock.advance(soon.getTime() - shop.clock.now().getTime());
  expect(await status(device.token)).toMatchObject({
    passes: [{ toolName: "Chat" }],
    sessions: [{ toolName: "Chat" }],
  });
});

test("a pass that ended within a week is named once, unless its tool has an active pass again", async () => {
  const now = shop.clock.now();
  const ended = (days: number) => ({ startsAt: addDays(now, -days - 30), expiresAt: addDays(now, -days) });
  const ctx = await buyer(ended(1));
  const other = await shop.tool({ name: "Long over" });
  await shop.pass(ctx, { toolId: other.id, toolName: other.name, ...ended(8) });
  const revoked = await shop.tool({ name: "Revoked" });
  const taken = { endedAt: now, endedReason: "refunded" } as const;
  await shop.pass(ctx, { toolId: revoked.id, toolName: revoked.name, ...ended(2), ...taken });
  await shop.pass(ctx, {
    toolId: shop.chat.id,
    toolName: "Chat",
    startsAt: addDays(now, -40),
    expiresAt: addDays(now, -32),
  });
  const { token } = await connect(ctx);
  const stranger = await connect(await buyer());
  expect((await status(token)).ended).toMatchObject([{ toolName: "Chat", endedAt: addDays(now, -1) }]);
  expect((await status(stranger.token)).ended).toEqual([]);
  await shop.pass(ctx, { toolId: shop.chat.id, toolName: "Chat", startsAt: now, expiresAt: addDays(now, 7) });
  expect((await status(token)).ended).toEqual([]);
});

test("all devices of an account ask 60 times a minute, and another account is not affected", async () => {
  const ctx = await buyer();
  const tokens = [(await connect(ctx)).token, (await connect(ctx)).token];
  const other = await connect(await buyer());
  const before = await shop.db.$count(rateLimits);
  const results = await Promise.allSettled(
    Array.from({ length: 80 }, (_, at) => status(tokens[at % 2] ?? null)),
  );
  expect(results.filter(({ status: outcome }) => outcome === "fulfilled")).toHaveLength(60);
  await expect(status(tokens[0] ?? null)).rejects.toMatchObject({
    code: "status-requests-too-fast",
    details: { retryAfterSeconds: expect.any(Number) },
  });
  await status(other.token);
  expect(await shop.db.$count(rateLimits)).toBe(before);
});
