import { eq } from "drizzle-orm";
import { afterAll, describe, expect, test } from "vitest";
import { users } from "#db/tables/accounts.ts";
import { auditEvents } from "#db/tables/operations.ts";
import { accessCodes } from "#db/tables/vault.ts";
import type { Actor } from "../context.ts";
import { now, openToolPageShop, passesThatOpenNothing } from "../entitlements/testing/tool-page-shop.ts";
import { createAccessCode } from "./create-access-code.server.ts";
import { findServerByCode } from "./find-server-by-code.server.ts";
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

describe("revealing", () => {
  test("a buyer gets the code of the server asked for, and it is noted without the code", async () => {
    const buyer = await addBuyer();
    expect(await reveal(buyer)).toEqual({ simpleCode: "CGPT-ONE" });
    expect(await reveal(buyer, "chatgpt-server-2")).toEqual({ simpleCode: "CGPT-TWO" });
    const rows = await db.select().from(auditEvents).where(eq(auditEvents.actorId, buyer.userId));
    expect(rows.map(({ details }) => details)).toEqual([
      { page: "chatgpt", serverId: "chatgpt-server-1" },
      { page: "chatgpt", serverId: "chatgpt-server-2" },
    ]);
    expect(JSON.stringify(rows)).not.toContain("CGPT");
  });

  test("the newest active code counts, at the moment of asking", async () => {
    const buyer = await addUser();
    const tool = await addTool("shifting", { servers: [{ id: "s1", name: "Server 1", url: null }] });
    await addPass(buyer, { toolId: tool.id, toolName: tool.name });
    const add = (simpleCode: string) =>
      createAccessCode(contextOf(admin), { toolId: tool.id, serverName: "Server 1", simpleCode });
    await add("OLD");
    const newer = await add("NEW");
    expect(await reveal(buyer, "s1", "shifting")).toEqual({ simpleCode: "NEW" });
    await db.update(accessCodes).set({ isActive: false }).where(eq(accessCodes.id, newer.id));
    expect(await reveal(buyer, "s1", "shifting")).toEqual({ simpleCode: "OLD" });
  });

  test("a server without a code is named", async () => {
    await expect(reveal(await addBuyer(), "chatgpt-server-3")).rejects.toMatchObject({
      code: "access-code-not-found",
      details: { server: "Server 3" },
    });
  });

  test("a code whose row was swapped with another's does not come out", async () => {
    const buyer = await addUser();
    const tool = await addTool("swapped", { servers: [{ id: "s1", name: "Server 1", url: null }] });
    await addPass(buyer, { toolId: tool.id, toolName: tool.name });
    const { id } = await createAccessCode(contextOf(admin), {
      toolId: tool.id,
      serverName: "Server 1",
      simpleCode: "MINE",
    });
    const [foreign] = await db.select().from(accessCodes).where(eq(accessCodes.toolId, chat.id)).limit(1);
    await db
      .update(accessCodes)
      .set({ simpleCodeSealed: foreign?.simpleCodeSealed ?? "" })
      .where(eq(accessCodes.id, id));
    await expect(reveal(buyer, "s1", "swapped")).rejects.toThrow("was changed or moved");
  });
});

describe("nobody else gets a code, and nothing is noted", () => {
  test("a visitor", async () => {
    const before = await reveals();
    await expect(reveal({ kind: "visitor" })).rejects.toMatchObject({ code: "unauthenticated" });
    await expect(reveal({ kind: "system" })).rejects.toMatchObject({ code: "unauthenticated" });
    expect(await reveals()).toBe(before);
  });

  test("a user without a pass", async () => {
    const before = await reveals();
    await expect(reveal(await addUser())).rejects.toMatchObject({ code: "access-required" });
    expect(await reveals()).toBe(before);
  });

  test.each(Object.entries(passesThatOpenNothing))("a user whose pass is %s", async (_what, values) => {
    const user = await addUser();
    await addPass(user, { ...chatPass, ...values });
    await expect(reveal(user)).rejects.toMatchObject({ code: "access-required" });
  });

  test("a user disabled with the page open", async () => {
    const buyer = await addBuyer();
    await db.update(users).set({ isActive: false }).where(eq(users.id, buyer.userId));
    await expect(reveal(buyer)).rejects.toMatchObject({ code: "user-disabled" });
  });

  test("a buyer who asks for a server of another tool", async () => {
    await expect(reveal(await addBuyer(), "grammar-server-1")).rejects.toMatchObject({ code: "not-found" });
  });
});

describe("adding a code", () => {
  test("nothing of it is stored in plain, and a session code is made", async () => {
    const { id } = await createAccessCode(contextOf(admin), {
      toolId: shop.bundle.id,
      serverName: " Server 9 ",
      simpleCode: " PLAIN-CODE ",
    });
    const [row] = await db.select().from(accessCodes).where(eq(accessCodes.id, id));
    expect(JSON.stringify(row)).not.toContain("PLAIN-CODE");
    expect(row).toMatchObject({ serverName: "Server 9", simpleCodeHash: cipher.lookupHash("PLAIN-CODE") });
    const place = { table: "access_codes", rowId: id, column: "session_code_sealed" };
    expect(cipher.open(row?.sessionCodeSealed ?? "", place)).toMatch(/^Everything-\d+-[0-9a-f]{32}$/);
  });

  test("only by the admin, for a tool that exists", async () => {
    const code = { toolId: chat.id, serverName: "Server 1", simpleCode: "X" };
    await expect(createAccessCode(contextOf({ kind: "visitor" }), code)).rejects.toMatchObject({
      code: "unauthenticated",
    });
    await expect(createAccessCode(contextOf(await addUser()), code)).rejects.toMatchObject({
      code: "forbidden",
    });
    const gone = await addTool("gone", { deletedAt: now });
    await expect(createAccessCode(contextOf(admin), { ...code, toolId: gone.id })).rejects.toMatchObject({
      code: "tool-not-found",
    });
    await expect(createAccessCode(contextOf(admin), { ...code, simpleCode: " " })).rejects.toMatchObject({
      fields: { simpleCode: ["Enter the simple code."] },
    });
  });
});

describe("a code in a link", () => {
  const find = (actor: Actor, ...codes: string[]) =>
    findServerByCode(contextOf(actor), { page: "chatgpt", codes });

  test("selects its server for one who may see it", async () => {
    const buyer = await addBuyer();
    expect(await find(buyer, "CGPT-TWO")).toBe("chatgpt-server-2");
    expect(await find(buyer, "nonsense")).toBeNull();
    expect(await find(buyer)).toBeNull();
  });

  test("grants and tells nothing to anyone else", async () => {
    expect(await find(await addUser(), "CGPT-TWO")).toBeNull();
    await expect(find({ kind: "visitor" }, "CGPT-TWO")).rejects.toMatchObject({ code: "unauthenticated" });
  });
});
