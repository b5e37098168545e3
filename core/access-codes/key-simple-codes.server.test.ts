import { eq, isNull, sql } from "drizzle-orm";
import { afterAll, beforeEach, expect, test } from "vitest";
import { accessCodes } from "#db/tables/vault.ts";
import { isUniqueViolation } from "#db/transaction.ts";
import { openDeviceShop } from "#tests/fixtures/device-shop.ts";
import { silentLog } from "#tests/fixtures/open-test-shop.ts";
import type { Context } from "../context.ts";
import { redeemAccessCode } from "../devices/device-sessions.server.ts";
import { sealAccessCode } from "../vault/seal-secrets.ts";
import { findServerByCode } from "./find-server-codes.server.ts";
import { findCodesAlike, keySimpleCodes } from "./key-simple-codes.server.ts";
import { listAccessCodes } from "./list-access-codes.server.ts";
import { addSeveralAccessCodes, createAccessCode, updateAccessCode } from "./manage-access-codes.server.ts";

const shop = await openDeviceShop();
const { chat, db, owner, ports } = shop;
const toolId = chat.id;
const old = new Date("2025-01-01T00:00:00Z");
beforeEach(() => db.delete(accessCodes));
afterAll(() => shop.close());

const create = (simpleCode: string, serverName = "Server 1") =>
  createAccessCode(owner, { toolId, serverName, simpleCode, isActive: true });

/** As an older version has stored it. */
async function insertOld(...codes: [simpleCode: string, serverName?: string][]): Promise<string[]> {
  const rows = codes.map(([simpleCode, serverName = "Server 1"]) => {
    const { simpleCodeKey: _, ...sealed } = sealAccessCode(
      ports.cipher,
      { simpleCode, toolName: "Chat" },
      old,
    );
    return { ...sealed, toolId, serverName, createdAt: old, updatedAt: old };
  });
  await db.insert(accessCodes).values(rows);
  return rows.map(({ id }) => id);
}

const rowsOf = () => db.select().from(accessCodes).orderBy(accessCodes.id);
const withoutKey = () => db.$count(accessCodes, isNull(accessCodes.simpleCodeKey));

const serverOf = async (ctx: Context, accessCode: string) =>
  (await findServerByCode(ctx, { page: "chat", accessCode, sessionCode: null })).serverId;

const REFUSED = { code: "access-code-taken" };

test("a simple code that differs only in case is the same code, wherever it is added or changed", async () => {
  await create("Chat-Ünö-1");
  await expect(create("CHAT-ünÖ-1")).rejects.toMatchObject(REFUSED);
  const { id } = await create("other");
  const edit = { id, version: 1, toolId, serverName: "Server 1", sessionCode: "s", isActive: true };
  await expect(updateAccessCode(owner, { ...edit, simpleCode: "chat-ünö-1" })).rejects.toMatchObject(REFUSED);
  await updateAccessCode(owner, { ...edit, simpleCode: "OTHER" });
  const several = { toolId, serverName: "Server 2", handOut: "for-all" };
  expect(await addSeveralAccessCodes(owner, { ...several, lines: "chat-ÜNÖ-1\nNew\nnEW" })).toEqual({
    kind: "refused",
    problems: [
      { line: 1, message: "This code is already in use." },
      { line: 3, message: "This code is already on line 2." },
    ],
  });
});

test("only one of parallel calls with the same code in other cases adds it", async () => {
  const cases = ["abcd", "Abcd", "aBcd", "abCd", "abcD", "ABcd", "AbCd", "ABCD"];
  const results = await Promise.allSettled(cases.map((code) => create(code)));
  const refused = results.flatMap((result) => (result.status === "rejected" ? [result.reason.code] : []));
  expect(refused).toEqual(Array(cases.length - 1).fill(REFUSED.code));
  // The database refuses it as well.
  const sealed = sealAccessCode(ports.cipher, { simpleCode: "aBCD", toolName: "Chat" }, old);
  const inserted = db.insert(accessCodes).values({ ...sealed, toolId, serverName: "Server 1" });
  await expect(inserted).rejects.toSatisfy(isUniqueViolation);
});

test("a code is found in any case, and stays as it was typed; a session code is found as it is only", async () => {
  const buyer = await shop.buyer();
  await create("Abc-1", "Server 2");
  for (const typed of ["Abc-1", "abc-1", "ABC-1"]) {
    expect(await serverOf(buyer, typed)).toBe("two");
    const { rows } = await listAccessCodes(owner, { q: typed });
    expect(rows).toMatchObject([{ simpleCode: "Abc-1" }]);
  }
  const { token } = await shop.connect(buyer);
  const redeemed = await redeemAccessCode(shop.visitor(), token, { accessCode: "aBC-1" });
  expect(redeemed.serverName).toBe("Server 2");
  await db.update(accessCodes).set({ sessionCodeHash: ports.cipher.lookupHash("Session") });
  const find = (sessionCode: string) =>
    findServerByCode(buyer, { page: "chat", accessCode: null, sessionCode });
  expect(await find("Session")).toMatchObject({ serverId: "two" });
  expect(await find("session")).toMatchObject({ serverId: null });
});

test("the codes of an older version are found in any case after the next start, and nothing else of them changes", async () => {
  const buyer = await shop.buyer();
  await insertOld(["Old-1"], ["Old-2", "Server 2"]);
  expect(await serverOf(buyer, "Old-2")).toBe("two");
  expect(await serverOf(buyer, "old-2")).toBeNull();
  const before = await rowsOf();
  await Promise.all([1, 2, 3].map(() => keySimpleCodes(shop.system())));
  expect(await serverOf(buyer, "old-2")).toBe("two");
  const after = await rowsOf();
  expect(after.map((row) => ({ ...row, simpleCodeKey: null }))).toEqual(before);
  await keySimpleCodes(shop.system());
  expect(await rowsOf()).toEqual(after);
  expect(await findCodesAlike(db)).toEqual([]);
});

test("old codes that differ only in case all stay usable, the owner is told, and no third is accepted", async () => {
  const buyer = await shop.buyer();
  const [first = "", second = ""] = await insertOld(["Same"], ["SAME", "Server 2"], ["alone"]);
  await keySimpleCodes(shop.system());
  expect([await serverOf(buyer, "Same"), await serverOf(buyer, "SAME")]).toEqual(["one", "two"]);
  expect(await serverOf(buyer, "same")).not.toBeNull();
  const { token } = await shop.connect(buyer);
  for (const [accessCode, serverName] of [
    ["Same", "Server 1"],
    ["SAME", "Server 2"],
  ] as const)
    expect(await redeemAccessCode(shop.visitor(), token, { accessCode })).toMatchObject({ serverName });
  await expect(create("same")).rejects.toMatchObject(REFUSED);
  await insertOld(["saME"]);
  await keySimpleCodes(shop.system());
  expect(await withoutKey()).toBe(0);
  expect((await findCodesAlike(db)).map(({ serverName }) => serverName)).toEqual([
    "Server 1",
    "Server 2",
    "Server 1",
  ]);
  const edit = { version: 1, toolId, sessionCode: "s", isActive: true };
  // Everything in such a code may be changed, but not into another of them.
  const changed = { ...edit, id: second, serverName: "Server 2", simpleCode: "sAME" };
  await expect(updateAccessCode(owner, { ...changed, simpleCode: "Same" })).rejects.toMatchObject(REFUSED);
  await updateAccessCode(owner, changed);
  await updateAccessCode(owner, { ...changed, version: 2, simpleCode: "different" });
  await expect(create("DIFFERENT")).rejects.toMatchObject(REFUSED);
  await db.delete(accessCodes).where(eq(accessCodes.id, first));
  expect(await findCodesAlike(db)).toEqual([]);
  await expect(create("same")).rejects.toMatchObject(REFUSED);
});

test("a start that is killed keeps the keys of codes that it has made, and the next start does the rest", async () => {
  const codes = Array.from({ length: 501 }, (_, at): [string] => [`Code-${at}`]);
  await insertOld(...codes);
  let hashed = 0;
  const dies = {
    ...ports.cipher,
    lookupHash: (plain: string) => {
      hashed += 1;
      if (hashed > 1000) throw new Error("killed");
      return ports.cipher.lookupHash(plain);
    },
  };
  const system = shop.system();
  await expect(keySimpleCodes({ ...system, ports: { ...ports, cipher: dies } })).rejects.toThrow("killed");
  expect(await withoutKey()).toBe(1);
  await keySimpleCodes(system);
  expect(await withoutKey()).toBe(0);
});

test("a code that cannot be opened stays without a key, and the shop starts", async () => {
  const [damaged = ""] = await insertOld(["Damaged"], ["fine"]);
  await db.update(accessCodes).set({ simpleCodeSealed: "v1.k.x.y" }).where(eq(accessCodes.id, damaged));
  const warned: unknown[] = [];
  const log = { ...silentLog, warn: (facts: unknown) => void warned.push(facts) };
  await keySimpleCodes({ ...shop.system(), log });
  expect(warned).toMatchObject([{ accessCodeId: damaged }]);
  expect(await withoutKey()).toBe(1);
});

test("a start does not wait for an admin's edit while no code is without a key", async () => {
  await create("done");
  await db.transaction(async (tx) => {
    await tx.execute(sql`select pg_advisory_xact_lock(hashtextextended('edits of the shop', 0))`);
    await keySimpleCodes(shop.system());
  });
});

test("only the shop itself may make the keys of codes", async () => {
  await expect(keySimpleCodes(owner)).rejects.toMatchObject({ code: "forbidden" });
  await expect(keySimpleCodes(shop.visitor())).rejects.toMatchObject({ code: "forbidden" });
});
