import { and, eq } from "drizzle-orm";
import { afterAll, describe, expect, test } from "vitest";
import { users } from "#db/tables/accounts.ts";
import { auditEvents } from "#db/tables/operations.ts";
import { accessCodes } from "#db/tables/vault.ts";
import { inactivePasses, now, openToolPageShop } from "#tests/fixtures/tool-page-shop.ts";
import type { Actor } from "../context.ts";
import { openAccessCode } from "../vault/seal-secrets.ts";
import { findServerByCode } from "./find-server-codes.server.ts";
import { createAccessCode } from "./manage-access-codes.server.ts";
import { revealAccessCode } from "./reveal-access-code.server.ts";

const shop = await openToolPageShop();
const { addPass, addTool, addUser, admin, chat, cipher, contextOf, db } = shop;
afterAll(() => shop.close());

const chatPass = { toolId: chat.id, toolName: chat.name };
const reveal = (actor: Actor, serverId = "chatgpt-server-1", page = "chatgpt") =>
  revealAccessCode(contextOf(actor), { page, serverId });
const reveals = () => db.$count(auditEvents, eq(auditEvents.action, "access-code.revealed"));

async function addBuyer() {
  const buyer = await addUser();
  await addPass(buyer, chatPass);
  return buyer;
}

test("revealing an access code gives a buyer the code of the chosen server and audits it without the code", async () => {
  const buyer = await addBuyer();
  expect(await reveal(buyer)).toMatchObject({ simpleCode: "CGPT-ONE" });
  expect(await reveal(buyer, "chatgpt-server-2")).toMatchObject({ simpleCode: "CGPT-TWO" });
  const rows = await db.select().from(auditEvents).where(eq(auditEvents.actorId, buyer.userId));
  expect(rows.map(({ details }) => details)).toEqual([
    { page: "chatgpt", serverId: "chatgpt-server-1" },
    { page: "chatgpt", serverId: "chatgpt-server-2" },
  ]);
  expect(JSON.stringify(rows)).not.toContain("CGPT");
});

test("revealing an access code gives the newest code that is active at that moment", async () => {
  const buyer = await addUser();
  const tool = await addTool("changing", { servers: [{ id: "s1", name: "Server 1", url: null }] });
  await addPass(buyer, { toolId: tool.id, toolName: tool.name });
  const add = (simpleCode: string) =>
    createAccessCode(contextOf(admin), {
      toolId: tool.id,
      serverName: "Server 1",
      simpleCode,
      isActive: true,
    });
  await add("OLD");
  const newer = await add("NEW");
  const first = await reveal(buyer, "s1", "changing");
  expect(first).toMatchObject({ simpleCode: "NEW" });
  await db.update(accessCodes).set({ isActive: false }).where(eq(accessCodes.id, newer.id));
  const second = await reveal(buyer, "s1", "changing");
  expect(second).toMatchObject({ simpleCode: "OLD" });
  expect(second.version).not.toBe(first.version);
});

test("revealing an access code names the server that has no code", async () => {
  await expect(reveal(await addBuyer(), "chatgpt-server-3")).rejects.toMatchObject({
    code: "access-code-not-found",
    details: { server: "Server 3" },
  });
});

test("revealing an access code refuses a sealed code that was copied from another row", async () => {
  const buyer = await addUser();
  const tool = await addTool("swapped", { servers: [{ id: "s1", name: "Server 1", url: null }] });
  await addPass(buyer, { toolId: tool.id, toolName: tool.name });
  const { id } = await createAccessCode(contextOf(admin), {
    toolId: tool.id,
    serverName: "Server 1",
    simpleCode: "MINE",
    isActive: true,
  });
  const [other] = await db.select().from(accessCodes).where(eq(accessCodes.toolId, chat.id)).limit(1);
  await db
    .update(accessCodes)
    .set({ simpleCodeSealed: other?.simpleCodeSealed ?? "" })
    .where(eq(accessCodes.id, id));
  await expect(reveal(buyer, "s1", "swapped")).rejects.toThrow("was changed or moved");
});

test("revealing an access code is refused for a visitor and not audited", async () => {
  const before = await reveals();
  await expect(reveal({ kind: "visitor" })).rejects.toMatchObject({ code: "unauthenticated" });
  await expect(reveal({ kind: "system" })).rejects.toMatchObject({ code: "unauthenticated" });
  expect(await reveals()).toBe(before);
});

test("revealing an access code is refused for a user without a pass and not audited", async () => {
  const before = await reveals();
  await expect(reveal(await addUser())).rejects.toMatchObject({ code: "access-required" });
  expect(await reveals()).toBe(before);
});

test.each(
  Object.entries(inactivePasses),
)("revealing an access code is refused for a user whose pass is %s and not audited", async (_what, values) => {
  const user = await addUser();
  await addPass(user, { ...chatPass, ...values });
  await expect(reveal(user)).rejects.toMatchObject({ code: "access-required" });
});

test("revealing an access code is refused for a user who was disabled while the page was open", async () => {
  const buyer = await addBuyer();
  await db.update(users).set({ isActive: false }).where(eq(users.id, buyer.userId));
  await expect(reveal(buyer)).rejects.toMatchObject({ code: "user-disabled" });
});

test("revealing an access code is refused for a server of another tool", async () => {
  await expect(reveal(await addBuyer(), "grammar-server-1")).rejects.toMatchObject({ code: "not-found" });
});

test("an account can have 60 codes revealed in ten minutes", async () => {
  const buyer = await addBuyer();
  const results = await Promise.allSettled(Array.from({ length: 65 }, () => reveal(buyer)));
  const refused = results.flatMap((result) => (result.status === "rejected" ? [result.reason] : []));
  expect(refused).toHaveLength(5);
  expect(refused[0]).toMatchObject({ code: "reveals-too-fast" });
  expect(await reveal(await addBuyer())).toMatchObject({ simpleCode: "CGPT-ONE" });
});

test("creating an access code stores no code in plain text and makes a session code", async () => {
  const { id } = await createAccessCode(contextOf(admin), {
    toolId: shop.bundle.id,
    serverName: " Server 9 ",
    simpleCode: " PLAIN-CODE ",
    isActive: true,
  });
  const [row] = await db.select().from(accessCodes).where(eq(accessCodes.id, id));
  expect(JSON.stringify(row)).not.toContain("PLAIN-CODE");
  expect(row).toMatchObject({ serverName: "Server 9", simpleCodeHash: cipher.lookupHash("PLAIN-CODE") });
  const place = { table: "access_codes", rowId: id, column: "session_code_sealed" };
  expect(cipher.open(row?.sessionCodeSealed ?? "", place)).toMatch(/^Everything-\d+-[0-9a-f]{32}$/);
});

test("creating an access code is for admins only and needs a tool that exists", async () => {
  const code = { toolId: chat.id, serverName: "Server 1", simpleCode: "X" };
  await expect(createAccessCode(contextOf({ kind: "visitor" }), code)).rejects.toMatchObject({
    code: "unauthenticated",
  });
  await expect(createAccessCode(contextOf(await addUser()), code)).rejects.toMatchObject({
    code: "forbidden",
  });
  const deleted = await addTool("gone", { deletedAt: now });
  await expect(createAccessCode(contextOf(admin), { ...code, toolId: deleted.id })).rejects.toMatchObject({
    code: "tool-not-found",
  });
  await expect(createAccessCode(contextOf(admin), { ...code, simpleCode: " " })).rejects.toMatchObject({
    fields: { simpleCode: ["Enter the simple code."] },
  });
});

describe("an access code in a link", () => {
  const find = (actor: Actor, accessCode: string | null = null, sessionCode: string | null = null) =>
    findServerByCode(contextOf(actor), { page: "chatgpt", accessCode, sessionCode });
  const serverOf = async (...link: Parameters<typeof find>) => (await find(...link)).serverId;
  const codesOf = async (serverName: string) => {
    const [row] = await db
      .select()
      .from(accessCodes)
      .where(and(eq(accessCodes.toolId, chat.id), eq(accessCodes.serverName, serverName)));
    if (row === undefined) throw new Error("the server has no code");
    return openAccessCode(cipher, row);
  };

  test("an access code in a link selects its server for a buyer with access, by one of its codes or by both", async () => {
    const buyer = await addBuyer();
    const { simpleCode, sessionCode } = await codesOf("Server 1");
    expect(await serverOf(buyer, "CGPT-TWO")).toBe("chatgpt-server-2");
    expect(await serverOf(buyer, null, sessionCode)).toBe("chatgpt-server-1");
    expect(await serverOf(buyer, "", sessionCode)).toBe("chatgpt-server-1");
    expect(await serverOf(buyer, simpleCode, sessionCode)).toBe("chatgpt-server-1");
    expect(await serverOf(buyer, "nonsense")).toBeNull();
    expect(await serverOf(buyer)).toBeNull();
  });

  test("an access code in a link selects nothing when its two codes do not belong to one active record", async () => {
    const buyer = await addBuyer();
    const { simpleCode, sessionCode } = await codesOf("Server 1");
    expect(await serverOf(buyer, "CGPT-TWO", sessionCode)).toBeNull();
    expect(await serverOf(buyer, simpleCode, "nonsense")).toBeNull();
    expect(await serverOf(buyer, sessionCode, simpleCode)).toBeNull();
    await db.update(accessCodes).set({ isActive: false }).where(eq(accessCodes.serverName, "Server 1"));
    expect(await serverOf(buyer, simpleCode, sessionCode)).toBeNull();
    await db.update(accessCodes).set({ isActive: true }).where(eq(accessCodes.serverName, "Server 1"));
  });

  const addCodeOfOtherTool = async () => {
    const toolId = shop.bundle.id;
    await db.delete(accessCodes).where(eq(accessCodes.toolId, toolId));
    const code = { toolId, serverName: "One", simpleCode: "OTHER-TOOL-1", isActive: true };
    return createAccessCode(contextOf(admin), code);
  };

  test("an access code of another tool in a link says so to a buyer of the page, as long as it is active", async () => {
    const { id } = await addCodeOfOtherTool();
    const buyer = await addBuyer();
    expect(await find(buyer, "OTHER-TOOL-1")).toEqual({ serverId: null, isOfOtherTool: true });
    expect(await find(admin, "OTHER-TOOL-1")).toMatchObject({ isOfOtherTool: true });
    expect(await find(buyer, "OTHER-TOOL-2")).toMatchObject({ isOfOtherTool: false });
    expect(await find(buyer, "CGPT-TWO")).toMatchObject({ isOfOtherTool: false });
    await db.update(accessCodes).set({ isActive: false }).where(eq(accessCodes.id, id));
    expect(await find(buyer, "OTHER-TOOL-1")).toMatchObject({ isOfOtherTool: false });
  });

  test("an access code in a link says nothing about other tools to somebody who tries too many codes", async () => {
    await addCodeOfOtherTool();
    const buyer = await addBuyer();
    await Promise.all(Array.from({ length: 60 }, (_, n) => find(buyer, `guess-${n}`)));
    expect(await find(buyer, "OTHER-TOOL-1")).toEqual({ serverId: null, isOfOtherTool: false });
    expect(await serverOf(buyer, "CGPT-TWO")).toBe("chatgpt-server-2");
  });

  test("an access code in a link gives no access and no information to anybody else", async () => {
    const nothing = { serverId: null, isOfOtherTool: false };
    expect(await find(await addUser(), "CGPT-TWO")).toEqual(nothing);
    await addCodeOfOtherTool();
    expect(await find(await addUser(), "OTHER-TOOL-1")).toEqual(nothing);
    await expect(find({ kind: "visitor" }, "CGPT-TWO")).rejects.toMatchObject({ code: "unauthenticated" });
  });
});
