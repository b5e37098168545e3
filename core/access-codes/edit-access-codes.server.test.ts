import { and, eq } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { accessCodes } from "#db/tables/vault.ts";
import { freshDatabase } from "#tests/database/database.ts";
import { openTestShop, withOldPassword } from "#tests/fixtures/open-test-shop.ts";
import { deleteTool } from "../catalog/tool-editing/manage-tools.server.ts";
import type { Context } from "../context.ts";
import {
  addSeveralAccessCodes,
  createAccessCode,
  deleteAccessCode,
  draftSessionCode,
  revealAccessCodeToAdmin,
  updateAccessCode,
} from "./manage-access-codes.server.ts";

const shop = openTestShop(await freshDatabase(), {
  clock: { now: () => new Date("2026-11-21T10:00:00Z") },
});
const { db } = shop;
let admin: Context;
let tool: Awaited<ReturnType<typeof shop.tool>>;
beforeAll(async () => {
  admin = await shop.user("admin");
  tool = await shop.tool({ name: "Video Suite" });
});
afterAll(() => shop.close());

let count = 0;
const newCode = () => `SECRET-${++count}`;

async function addCode() {
  const simpleCode = newCode();
  const fields = { toolId: tool.id, serverName: "Server 1", simpleCode, isActive: true };
  const { id } = await createAccessCode(admin, fields);
  return { id, edit: { ...fields, id, version: 1, sessionCode: "SECRET-session" } };
}

const rowOf = async (id: string) => (await db.select().from(accessCodes).where(eq(accessCodes.id, id)))[0];
const codesOf = (toolId: string) => db.$count(accessCodes, eq(accessCodes.toolId, toolId));

test("a new access code accepts the session code that its form was given", async () => {
  const { sessionCode } = await draftSessionCode(admin, { toolId: tool.id });
  expect(sessionCode).toMatch(/^Video-Suite-\d{13}-[0-9a-f]{32}$/);
  const code = { toolId: tool.id, serverName: "A", simpleCode: newCode(), sessionCode, isActive: true };
  const { id } = await createAccessCode(admin, code);
  expect(await revealAccessCodeToAdmin(admin, { id })).toMatchObject({ sessionCode });
});

test.each([
  "mine",
  "Video-Suite-1-1",
  `Video-Suite-1795255200000-${"g".repeat(32)}`,
  "x".repeat(501),
])("a new access code with the session code %j, which the shop has not generated, is refused", async (sessionCode) => {
  const code = { toolId: tool.id, serverName: "A", simpleCode: newCode(), sessionCode };
  await expect(createAccessCode(admin, code)).rejects.toMatchObject({ code: "invalid-input" });
});

test("the same access code is added once when several requests arrive at the same time", async () => {
  const code = { toolId: tool.id, serverName: "A", simpleCode: newCode() };
  const results = await Promise.allSettled(Array.from({ length: 5 }, () => createAccessCode(admin, code)));
  expect(results.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
  await expect(createAccessCode(admin, code)).rejects.toMatchObject({ code: "access-code-taken" });
});

test("a new access code needs a tool first", async () => {
  await expect(createAccessCode(admin, { serverName: "A", simpleCode: "B" })).rejects.toMatchObject({
    fields: { toolId: ["Please select a tool first."] },
  });
});

test("changing an access code seals both codes again and audits which of them changed, without the codes", async () => {
  const { id, edit } = await addCode();
  const other = await shop.tool();
  const changes = { toolId: other.id, serverName: "Server 2", simpleCode: newCode(), isActive: undefined };
  expect(await updateAccessCode(admin, { ...edit, ...changes })).toEqual({ version: 2 });
  expect(await revealAccessCodeToAdmin(admin, { id })).toEqual({
    id,
    version: 2,
    toolId: other.id,
    serverName: "Server 2",
    isActive: false,
    simpleCode: changes.simpleCode,
    sessionCode: "SECRET-session",
  });
  const events = await shop.auditsOf(id);
  expect(events.map(({ action }) => action)).toEqual([
    "access-code.created",
    "access-code.updated",
    "access-code.revealed",
  ]);
  expect(events[1]?.details).toEqual({
    before: { toolId: tool.id, serverName: "Server 1", isActive: true },
    after: { toolId: other.id, serverName: "Server 2", isActive: false },
    simpleCodeChanged: true,
    sessionCodeChanged: true,
  });
  expect(JSON.stringify([events, await rowOf(id)])).not.toContain("SECRET");
});

test("two admins change the same access code at once: the second is told and nothing of theirs is saved", async () => {
  const { id, edit } = await addCode();
  const results = await Promise.allSettled([
    updateAccessCode(admin, { ...edit, serverName: "First" }),
    updateAccessCode(admin, { ...edit, serverName: "Second" }),
  ]);
  const refused = results.flatMap((result) => (result.status === "rejected" ? [result.reason] : []));
  expect(refused).toMatchObject([{ code: "changed-meanwhile" }]);
  expect(await rowOf(id)).toMatchObject({ version: 2 });
});

test("a changed access code needs all fields, a simple code of its own and a tool that exists", async () => {
  const { edit } = await addCode();
  const other = await addCode();
  const change = (changes: object) => updateAccessCode(admin, { ...edit, ...changes });
  await expect(change({ sessionCode: " " })).rejects.toMatchObject({
    fields: { sessionCode: ["Enter the session code."] },
  });
  await expect(change({ serverName: "" })).rejects.toMatchObject({
    fields: { serverName: ["Choose a server."] },
  });
  await expect(change({ simpleCode: other.edit.simpleCode })).rejects.toMatchObject({
    code: "access-code-taken",
  });
  const deleted = await shop.tool({ deletedAt: new Date() });
  await expect(change({ toolId: deleted.id })).rejects.toMatchObject({ code: "tool-not-found" });
  await expect(change({ id: tool.id })).rejects.toMatchObject({ code: "not-found" });
});

test("an access code of a deleted tool can be changed, because its page still serves passes", async () => {
  const { id, edit } = await addCode();
  const gone = await shop.tool();
  await updateAccessCode(admin, { ...edit, toolId: gone.id });
  await deleteTool(admin, { toolId: gone.id });
  await updateAccessCode(admin, { ...edit, toolId: gone.id, version: 2, simpleCode: newCode() });
  expect(await rowOf(id)).toMatchObject({ version: 3 });
});

test("deleting an access code removes its row and is audited", async () => {
  const { id } = await addCode();
  await deleteAccessCode(admin, { id });
  expect(await rowOf(id)).toBeUndefined();
  expect((await shop.auditsOf(id)).at(-1)).toMatchObject({
    action: "access-code.deleted",
    details: { before: { serverName: "Server 1" } },
  });
  await expect(deleteAccessCode(admin, { id })).rejects.toMatchObject({ code: "not-found" });
});

test("revealing an access code needs a password that was entered in the last 15 minutes", async () => {
  const { id, edit } = await addCode();
  await expect(revealAccessCodeToAdmin(withOldPassword(admin), { id })).rejects.toMatchObject({
    code: "password-needed",
  });
  expect((await shop.auditsOf(id)).map(({ action }) => action)).toEqual(["access-code.created"]);
  expect(await revealAccessCodeToAdmin(admin, { id })).toMatchObject({ simpleCode: edit.simpleCode });
});

test("deleting an access code needs a password that was entered in the last 15 minutes", async () => {
  const { id } = await addCode();
  await expect(deleteAccessCode(withOldPassword(admin), { id })).rejects.toMatchObject({
    code: "password-needed",
  });
  expect(await rowOf(id)).toMatchObject({ version: 1 });
});

describe("adding several access codes", () => {
  const add = (toolId: string, lines: string) =>
    addSeveralAccessCodes(admin, { toolId, serverName: "Server 1", handOut: "for-all", lines });

  test("every line of a pasted list becomes an access code with a session code of its own, and empty lines are skipped", async () => {
    const { id } = await shop.tool();
    expect(await add(id, `${newCode()}\r\n\n  ${newCode()}  \n${newCode()}\n`)).toEqual({
      kind: "added",
      count: 3,
    });
    const rows = await db.select().from(accessCodes).where(eq(accessCodes.toolId, id));
    expect(new Set(rows.map(({ sessionCodeHash }) => sessionCodeHash)).size).toBe(3);
    const last = `SECRET-${count - 1}`;
    const hash = shop.ports.cipher.lookupHash(last);
    const found = and(eq(accessCodes.toolId, id), eq(accessCodes.simpleCodeHash, hash));
    expect(await db.$count(accessCodes, found)).toBe(1);
    const events = await shop.auditsOf(id);
    expect(events).toMatchObject([{ action: "access-codes.added", details: { count: 3 } }]);
    expect(JSON.stringify(events)).not.toContain("SECRET");
  });

  test("a pasted list with mistakes is reported line by line, without the codes, and none is added", async () => {
    const { id } = await shop.tool();
    const { edit } = await addCode();
    const fresh = newCode();
    const result = await add(id, [fresh, "", edit.simpleCode, fresh, "x".repeat(201), newCode()].join("\n"));
    expect(result).toEqual({
      kind: "refused",
      problems: [
        { line: 3, message: "This code is already in use." },
        { line: 4, message: "This code is already on line 1." },
        { line: 5, message: "This code is longer than 200 characters." },
      ],
    });
    expect(JSON.stringify(result)).not.toContain("SECRET");
    expect(await codesOf(id)).toBe(0);
  });

  test("a pasted list has at most 500 codes and at least one", async () => {
    const { id } = await shop.tool();
    const lines = Array.from({ length: 501 }, newCode).join("\n");
    expect(await add(id, lines)).toMatchObject({ kind: "refused", problems: [{ line: 501 }] });
    await expect(add(id, " \n ")).rejects.toMatchObject({ fields: { lines: ["Paste one code per line."] } });
    expect(await codesOf(id)).toBe(0);
  });

  test("a pasted list is added once when it is sent several times at once", async () => {
    const { id } = await shop.tool();
    const lines = `${newCode()}\n${newCode()}`;
    const results = await Promise.all([add(id, lines), add(id, lines), add(id, lines)]);
    expect(results.filter(({ kind }) => kind === "added")).toHaveLength(1);
    expect(await codesOf(id)).toBe(2);
  });
});

test.each([
  "visitor",
  "user",
  "system",
] as const)("the actor %s can neither change, read nor add access codes", async (kind) => {
  const { id, edit } = await addCode();
  const ctx = kind === "user" ? await shop.user() : kind === "visitor" ? shop.visitor() : shop.system();
  const refusal = { code: kind === "user" ? "forbidden" : "unauthenticated" };
  const before = await rowOf(id);
  await expect(updateAccessCode(ctx, edit)).rejects.toMatchObject(refusal);
  await expect(deleteAccessCode(ctx, { id })).rejects.toMatchObject(refusal);
  await expect(revealAccessCodeToAdmin(ctx, { id })).rejects.toMatchObject(refusal);
  await expect(draftSessionCode(ctx, { toolId: tool.id })).rejects.toMatchObject(refusal);
  const several = { toolId: tool.id, serverName: "A", handOut: "per-buyer", lines: newCode() };
  await expect(addSeveralAccessCodes(ctx, several)).rejects.toMatchObject(refusal);
  expect(await rowOf(id)).toEqual(before);
  expect(await shop.auditsOf(id)).toHaveLength(1);
});
