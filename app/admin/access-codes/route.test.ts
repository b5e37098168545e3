import { and, eq } from "drizzle-orm";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createAccessCode, revealAccessCodeToAdmin } from "#core/access-codes/manage-access-codes.server.ts";
import type { Context } from "#core/context.ts";
import { systemClock } from "#core/time.ts";
import { auditEvents } from "#db/tables/operations.ts";
import { accessCodeReports, accessCodes } from "#db/tables/vault.ts";
import { freshDatabase } from "#tests/database/database.ts";
import { routeArguments } from "#tests/fixtures/admin-route.ts";
import { openTestShop, withOldPassword } from "#tests/fixtures/open-test-shop.ts";
import { action as openConnection } from "./open-connection.ts";
import { action, loader } from "./route.tsx";

const shop = openTestShop(await freshDatabase(), { clock: systemClock });
let admin: Context;
let tool: Awaited<ReturnType<typeof shop.tool>>;
beforeAll(async () => {
  admin = await shop.user("admin");
  tool = await shop.tool({ name: "Canva", slug: "canva", badge: "New", availableStock: 4 });
});
afterAll(() => shop.close());

const PATH = "/admin/access-codes";
const load = (ctx: Context) => loader(routeArguments(ctx, PATH));
async function post(ctx: Context, fields: Record<string, string>) {
  const { data, init } = await action(routeArguments(ctx, PATH, { fields }));
  return { status: init?.status ?? 200, ...data };
}
/** Posts the form of 'Create Server Connection'. */
async function connect(ctx: Context, fields: Record<string, string>) {
  const answer = await openConnection(routeArguments(ctx, `${PATH}/connection`, { fields }));
  const location = new URL(answer.headers.get("location") ?? "", ctx.store.origin);
  return { status: answer.status, cache: answer.headers.get("cache-control"), location };
}

let count = 0;
const newCode = () => `SECRET-${++count}`;
async function addCode() {
  const simpleCode = newCode();
  const fields = { toolId: tool.id, serverName: "Server 1", simpleCode };
  const { id } = await createAccessCode(admin, { ...fields, isActive: true });
  return {
    id,
    simpleCode,
    edit: { ...fields, id, version: "1", sessionCode: "SECRET-session", isActive: "on" },
  };
}
const rowOf = async (id: string) =>
  (await shop.db.select().from(accessCodes).where(eq(accessCodes.id, id)))[0];
const countReveals = (id: string) =>
  shop.db.$count(
    auditEvents,
    and(eq(auditEvents.subjectId, id), eq(auditEvents.action, "access-code.revealed")),
  );

test("the tab of access codes gives a visitor and a buyer no data, and an admin the codes and the tools to choose from", async () => {
  const { simpleCode } = await addCode();
  expect(await load(shop.visitor())).toBeNull();
  expect(await load(await shop.user())).toBeNull();
  expect(await load(admin)).toMatchObject({
    list: { rows: [{ simpleCode, toolName: "Canva", serverName: "Server 1" }] },
    tools: [{ name: "Canva", badge: "New", pricePaise: 14_900, availableStock: 4 }],
  });
});

test("an admin adds an access code with the drafted session code, changes it and deletes it", async () => {
  const drafted = await post(admin, { intent: "draft-session-code", toolId: tool.id });
  expect(drafted).toMatchObject({ ok: true, value: { sessionCode: expect.stringMatching(/^Canva-/) } });
  const simpleCode = newCode();
  const fields = { toolId: tool.id, serverName: "Server 1", simpleCode, isActive: "on" };
  expect(await post(admin, { intent: "create", ...fields })).toMatchObject({
    ok: true,
    message: "Access code added.",
  });
  const hash = shop.ports.cipher.lookupHash(simpleCode);
  const [row] = await shop.db.select().from(accessCodes).where(eq(accessCodes.simpleCodeHash, hash));
  const id = row?.id ?? "";
  expect(await post(admin, { intent: "reveal", id })).toMatchObject({ ok: true, value: { simpleCode } });
  const changes = { ...fields, id, version: "1", sessionCode: "SECRET-other" };
  expect(await post(admin, { intent: "update", ...changes })).toMatchObject({
    ok: true,
    message: "Access code updated.",
  });
  expect(await post(admin, { intent: "delete", id })).toMatchObject({ ok: true });
  expect(await rowOf(id)).toBeUndefined();
});

test("an admin dismisses the reports of a code that works, and a second press says that it has none", async () => {
  const { id } = await addCode();
  const { actor } = await shop.user();
  const createdAt = new Date();
  await shop.db.insert(accessCodeReports).values({ accessCodeId: id, userId: actor.userId, createdAt });
  const fields = { intent: "dismiss-reports", id, lastReportedAt: createdAt.toISOString() };
  expect(await post(admin, fields)).toMatchObject({
    ok: true,
    message: "1 report dismissed. Buyers are no longer warned.",
  });
  expect(await post(admin, fields)).toMatchObject({
    ok: true,
    message: "This code has no reports any more.",
  });
  expect(await post(admin, { ...fields, id: crypto.randomUUID() })).toMatchObject({
    status: 404,
    message: "This no longer exists. Please reload the page.",
  });
});

test("an access code without a tool is refused with the message of the requirements", async () => {
  const fields = { intent: "create", toolId: "", serverName: "Server 1", simpleCode: newCode() };
  expect(await post(admin, fields)).toMatchObject({
    status: 422,
    fields: { toolId: ["Please select a tool first."] },
  });
});

test("a failed deletion of an access code names its reason, or an unknown error", async () => {
  const gone = { intent: "delete", id: crypto.randomUUID() };
  expect(await post(admin, gone)).toMatchObject({
    message: "Failed to delete access code: This no longer exists. Please reload the page.",
  });
  const db = new Proxy(shop.db, {
    get() {
      throw new Error("secret detail");
    },
  });
  expect(await post({ ...admin, db }, gone)).toMatchObject({
    status: 500,
    message: "Failed to delete access code: Unknown error",
  });
});

test("a deletion of an access code asks for the password when its last entry is more than 15 minutes ago", async () => {
  const { id } = await addCode();
  expect(await post(withOldPassword(admin), { intent: "delete", id })).toMatchObject({
    status: 403,
    code: "password-needed",
  });
  expect(await rowOf(id)).toMatchObject({ version: 1 });
});

test("the form with access codes asks for the password when its last entry is more than 15 minutes ago", async () => {
  const { id, simpleCode } = await addCode();
  const answer = await post(withOldPassword(admin), { intent: "reveal", id });
  expect(answer).toMatchObject({ status: 403, code: "password-needed" });
  expect(JSON.stringify(answer)).not.toContain("SECRET");
  expect(await countReveals(id)).toBe(0);
  expect(await post(admin, { intent: "reveal", id })).toMatchObject({ ok: true, value: { simpleCode } });
});

test("a pasted list of access codes with a mistake is answered line by line and adds nothing", async () => {
  const before = await shop.db.$count(accessCodes);
  const code = newCode();
  const fields = {
    toolId: tool.id,
    serverName: "Server 2",
    handOut: "for-all",
    lines: `${code}\n\n${code}`,
  };
  expect(await post(admin, { intent: "add-several", ...fields })).toMatchObject({
    ok: true,
    message: null,
    value: { kind: "refused", problems: [{ line: 3, message: "This code is already on line 1." }] },
  });
  expect(await shop.db.$count(accessCodes)).toBe(before);
});

test("a visitor and a buyer are refused every operation on access codes, and nothing changes", async () => {
  const { id, edit } = await addCode();
  const [before, rows] = [await rowOf(id), await shop.db.$count(accessCodes)];
  for (const [ctx, status] of [
    [shop.visitor(), 401],
    [await shop.user(), 403],
  ] as const) {
    for (const intent of [
      "create",
      "update",
      "delete",
      "reveal",
      "draft-session-code",
      "add-several",
      "dismiss-reports",
    ]) {
      const answer = await post(ctx, { intent, ...edit, lines: "SECRET-list" });
      expect(answer).toMatchObject({ status, ok: false });
      expect(JSON.stringify(answer)).not.toContain("SECRET");
    }
  }
  expect(await rowOf(id)).toEqual(before);
  expect(await shop.db.$count(accessCodes)).toBe(rows);
  expect(await countReveals(id)).toBe(0);
});

test("a server connection opens the page of the tool with both codes, and is audited and never cached", async () => {
  const { id, simpleCode } = await addCode();
  const { status, cache, location } = await connect(admin, { id, slug: "canva" });
  const { sessionCode } = await revealAccessCodeToAdmin(admin, { id });
  expect({ status, cache, path: location.pathname }).toEqual({
    status: 303,
    cache: "no-store",
    path: "/tools/canva",
  });
  expect(Object.fromEntries(location.searchParams)).toEqual({ accessCode: simpleCode, sessionCode });
  expect(await countReveals(id)).toBe(2);
});

test("a server connection opens the humanizer at its own address", async () => {
  const { id } = await addCode();
  expect((await connect(admin, { id, slug: "aihumanizer" })).location.pathname).toBe("/aihumanizer");
});

test("a server connection is refused with the reason: to a visitor, to a buyer, for an unknown code and for a malformed slug", async () => {
  const { id } = await addCode();
  const attempts = [
    await connect(shop.visitor(), { id, slug: "canva" }),
    await connect(await shop.user(), { id, slug: "canva" }),
    await connect(admin, { id: "no id", slug: "canva" }),
    await connect(admin, { id: crypto.randomUUID(), slug: "canva" }),
    await connect(admin, { id, slug: "../admin" }),
  ];
  const refusals = ["unauthenticated", "forbidden", "invalid-input", "not-found", "invalid-input"];
  expect(attempts.map(({ status, location }) => [status, location.pathname, location.search])).toEqual(
    refusals.map((code) => [303, PATH, `?connection=${code}`]),
  );
  expect(await countReveals(id)).toBe(0);
});

test("a server connection asks for the password when its last entry is more than 15 minutes ago, and can be repeated", async () => {
  const { id } = await addCode();
  const { status, location } = await connect(withOldPassword(admin), { id, slug: "canva" });
  expect([status, location.pathname]).toEqual([303, PATH]);
  expect(Object.fromEntries(location.searchParams)).toEqual({
    connection: "password-needed",
    id,
    slug: "canva",
  });
  expect(await countReveals(id)).toBe(0);
});
