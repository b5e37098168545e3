import { eq } from "drizzle-orm";
import { afterAll, describe, expect, test } from "vitest";
import { users } from "#db/tables/accounts.ts";
import { deviceSessions, devices } from "#db/tables/devices.ts";
import { auditEvents } from "#db/tables/operations.ts";
import { userPurchases } from "#db/tables/purchases.ts";
import { accessCodes } from "#db/tables/vault.ts";
import { openDeviceShop } from "#tests/fixtures/device-shop.ts";
import { updateAccessCode } from "../access-codes/manage-access-codes.server.ts";
import { addDays } from "../time.ts";
import { readDeviceStatus, redeemAccessCode, revealSessionCode } from "./device-sessions.server.ts";

const shop = await openDeviceShop();
const { buyer, chat, connect, db, visitor } = shop;
afterAll(() => shop.close());

const redeem = (token: string | null, accessCode = "CODE-ONE") =>
  redeemAccessCode(visitor(), token, { accessCode });
const status = (token: string | null) => readDeviceStatus(visitor(), token);
const sessions = () => db.$count(deviceSessions);

test("a code is redeemed with an active pass, and the session ends with the pass", async () => {
  const ctx = await buyer();
  const { token } = await connect(ctx);
  const session = await redeem(token);
  expect(session).toMatchObject({
    toolName: "Chat",
    toolSlug: "chat",
    serverName: "Server 1",
    launchUrl: "https://one.example/",
    endsAt: addDays(shop.clock.now(), 29),
  });
  const shown = await status(token);
  expect(shown).toMatchObject({ email: ctx.actor.email, passes: [{ toolName: "Chat", toolSlug: "chat" }] });
  expect(shown.sessions).toEqual([session]);
});

test("a second redemption of the same server on a device is the same session", async () => {
  const { token } = await connect(await buyer());
  const before = await sessions();
  const results = await Promise.all(Array.from({ length: 20 }, () => redeem(token)));
  expect(new Set(results.map(({ id }) => id)).size).toBe(1);
  expect(await sessions()).toBe(before + 1);
});

test("a redemption is audited for the user, without the code", async () => {
  const ctx = await buyer();
  const { token } = await connect(ctx);
  await redeem(token);
  const rows = await db.select().from(auditEvents).where(eq(auditEvents.action, "access-code.redeemed"));
  const own = rows.filter(({ actorId }) => actorId === ctx.actor.userId);
  expect(own).toMatchObject([{ subjectId: shop.codeId, details: { page: "chat", serverId: "one" } }]);
  expect(JSON.stringify(rows)).not.toContain("CODE-ONE");
});

test("a redemption is refused without a token, with an unknown one, and with the token of a released device", async () => {
  const ctx = await buyer();
  const { token } = await connect(ctx);
  await db
    .update(devices)
    .set({ releasedAt: shop.clock.now(), releasedBy: "admin" })
    .where(eq(devices.userId, ctx.actor.userId));
  const before = await sessions();
  for (const wrong of [null, "made-up", token]) {
    await expect(redeem(wrong)).rejects.toMatchObject({ code: "device-not-connected" });
    await expect(status(wrong)).rejects.toMatchObject({ code: "device-not-connected" });
  }
  expect(await sessions()).toBe(before);
});

test("a redemption is refused for a disabled account, from that moment on", async () => {
  const ctx = await buyer();
  const { token } = await connect(ctx);
  await redeem(token);
  await db.update(users).set({ isActive: false }).where(eq(users.id, ctx.actor.userId));
  await expect(redeem(token)).rejects.toMatchObject({ code: "device-not-connected" });
  await expect(status(token)).rejects.toMatchObject({ code: "device-not-connected" });
});

test("a redemption is refused without a pass, with an ended or refunded one, and with a pass for another tool", async () => {
  const other = await shop.tool({ name: "Other" });
  const now = shop.clock.now();
  const buyers = [
    await shop.user(),
    await buyer({ expiresAt: now }),
    await buyer({ endedAt: now, endedReason: "refunded" }),
    await buyer({ toolId: other.id, toolName: other.name }),
  ];
  const before = await sessions();
  for (const ctx of buyers) {
    const { token } = await connect(ctx);
    await expect(redeem(token)).rejects.toMatchObject({ code: "access-code-not-redeemable" });
    expect((await status(token)).sessions).toEqual([]);
  }
  expect(await sessions()).toBe(before);
});

test("a redemption is refused with an unknown or inactive code", async () => {
  const { token } = await connect(await buyer());
  for (const wrong of ["CODE-TWO", "code-on"]) {
    await expect(redeem(token, wrong)).rejects.toMatchObject({ code: "access-code-not-redeemable" });
  }
  await db.update(accessCodes).set({ isActive: false }).where(eq(accessCodes.id, shop.codeId));
  await expect(redeem(token)).rejects.toMatchObject({ code: "access-code-not-redeemable" });
  await db.update(accessCodes).set({ isActive: true }).where(eq(accessCodes.id, shop.codeId));
  for (const wrong of ["", " ", "x".repeat(501)]) {
    await expect(redeem(token, wrong)).rejects.toMatchObject({ code: "invalid-input" });
  }
});

test("the sixty-first redemption within ten minutes is refused", async () => {
  const { token } = await connect(await buyer());
  for (let count = 0; count < 60; count++) await redeem(token);
  await expect(redeem(token)).rejects.toMatchObject({ code: "redemptions-too-fast" });
});

test("a session leaves the popup when its pass ends, and returns with a new pass", async () => {
  const ctx = await buyer();
  const { token } = await connect(ctx);
  await redeem(token);
  const mine = eq(userPurchases.userId, ctx.actor.userId);
  await db.update(userPurchases).set({ expiresAt: shop.clock.now() }).where(mine);
  expect(await status(token)).toMatchObject({ passes: [], sessions: [] });
  await db
    .update(userPurchases)
    .set({ expiresAt: addDays(shop.clock.now(), 1) })
    .where(mine);
  expect(await status(token)).toMatchObject({ sessions: [{ serverName: "Server 1" }] });
});

describe("the code of a redeemed server", () => {
  const reveal = (token: string | null, sessionId: string) =>
    revealSessionCode(visitor(), token, { sessionId });

  test("the code of a redeemed server is revealed to its device, as often as it is asked for, and audited without the code", async () => {
    const ctx = await buyer();
    const { token } = await connect(ctx);
    const { id } = await redeem(token);
    expect(await reveal(token, id)).toMatchObject({ simpleCode: "CODE-ONE" });
    await reveal(token, id);
    const rows = await db.select().from(auditEvents).where(eq(auditEvents.action, "access-code.revealed"));
    const own = rows.filter(({ actorId }) => actorId === ctx.actor.userId);
    expect(own).toMatchObject([1, 2].map(() => ({ details: { page: "chat", serverId: "one" } })));
    expect(JSON.stringify(rows)).not.toContain("CODE-ONE");
  });

  test("the code of a redeemed server is not revealed to another device, of the same buyer or of another, nor without a token", async () => {
    const ctx = await buyer();
    const { token } = await connect(ctx);
    const { id } = await redeem(token);
    for (const other of [await connect(ctx), await connect(await buyer())]) {
      await expect(reveal(other.token, id)).rejects.toMatchObject({ code: "not-found" });
    }
    for (const wrong of [null, "made-up"]) {
      await expect(reveal(wrong, id)).rejects.toMatchObject({ code: "device-not-connected" });
    }
    await expect(reveal(token, "x")).rejects.toMatchObject({ code: "invalid-input" });
  });

  test("the code of a redeemed server is not revealed after the pass has ended, nor to an admin without a recent password", async () => {
    const ctx = await buyer();
    const { token } = await connect(ctx);
    const { id } = await redeem(token);
    const mine = eq(userPurchases.userId, ctx.actor.userId);
    await db.update(userPurchases).set({ expiresAt: shop.clock.now() }).where(mine);
    await expect(reveal(token, id)).rejects.toMatchObject({ code: "access-required" });
    const { token: ofAdmin } = await connect(shop.owner);
    const session = await redeem(ofAdmin);
    await expect(reveal(ofAdmin, session.id)).rejects.toMatchObject({ code: "password-needed" });
  });
});

test("the session code is redeemed like the simple code, and a changed code is not", async () => {
  const { token } = await connect(await buyer());
  const [row] = await db.select().from(accessCodes).where(eq(accessCodes.id, shop.codeId));
  await updateAccessCode(shop.owner, {
    id: shop.codeId,
    version: row?.version ?? 0,
    toolId: chat.id,
    serverName: "Server 1",
    simpleCode: "CODE-NEW",
    sessionCode: "SESSION-NEW",
    isActive: true,
  });
  expect((await redeem(token, "SESSION-NEW")).serverName).toBe("Server 1");
  await expect(redeem(token, "CODE-ONE")).rejects.toMatchObject({ code: "access-code-not-redeemable" });
});
