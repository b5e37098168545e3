import { and, eq } from "drizzle-orm";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Context } from "#core/context.ts";
import { createCredential } from "#core/credentials/manage-credentials.server.ts";
import { systemClock } from "#core/time.ts";
import { auditEvents } from "#db/tables/operations.ts";
import { credentials } from "#db/tables/vault.ts";
import { freshDatabase } from "#tests/database/database.ts";
import { routeArguments } from "#tests/fixtures/admin-route.ts";
import { openTestShop, withOldPassword } from "#tests/fixtures/open-test-shop.ts";
import { action, loader } from "./route.tsx";

const shop = openTestShop(await freshDatabase(), { clock: systemClock });
let admin: Context;
beforeAll(async () => {
  admin = await shop.user("admin");
});
afterAll(() => shop.close());

const load = (ctx: Context) => loader(routeArguments(ctx, "/admin/credentials"));
async function post(ctx: Context, fields: Record<string, string>) {
  const { data, init } = await action(routeArguments(ctx, "/admin/credentials", { fields }));
  return { status: init?.status ?? 200, ...data };
}
const form = (email: string) => ({ service: "QuillBot", email, password: "tea-SECRET", isActive: "on" });
const rowOf = async (id: string) =>
  (await shop.db.select().from(credentials).where(eq(credentials.id, id)))[0];
const countEvents = (id: string, event: string) =>
  shop.db.$count(auditEvents, and(eq(auditEvents.subjectId, id), eq(auditEvents.action, event)));

test("the tab of credentials gives a visitor and a buyer no data, and an admin masked passwords", async () => {
  await createCredential(admin, form("masked@example.com"));
  expect(await load(shop.visitor())).toBeNull();
  expect(await load(await shop.user())).toBeNull();
  const list = await load(admin);
  expect(list).toMatchObject({
    list: { rows: [{ email: "masked@example.com", passwordMasked: "tea-********" }] },
    use: { all: [{ email: "masked@example.com" }], tools: [] },
  });
  expect(JSON.stringify(list)).not.toContain("SECRET");
});

test("a credential that is to exist is created once", async () => {
  const wanted = { intent: "ensure", ...form("ensured@example.com") };
  expect(await post(admin, wanted)).toMatchObject({
    ok: true,
    message: "Credential created successfully!",
  });
  expect(await post(admin, wanted)).toMatchObject({ ok: true, message: "This credential already exists." });
  expect(await post(await shop.user(), wanted)).toMatchObject({ ok: false, status: 403 });
  await shop.db.delete(credentials).where(eq(credentials.email, "ensured@example.com"));
});

test("an admin creates, updates, reveals and deletes a credential and reads the messages of the requirements", async () => {
  const created = await post(admin, { intent: "create", ...form("one@example.com") });
  expect(created).toMatchObject({ ok: true, message: "Credential created successfully!" });
  const [row] = await shop.db.select().from(credentials).where(eq(credentials.email, "one@example.com"));
  const id = row?.id ?? "";
  const changes = { ...form("two@example.com"), id, version: "1", password: "" };
  expect(await post(admin, { intent: "update", ...changes })).toMatchObject({
    ok: true,
    message: "Credential updated successfully!",
  });
  expect(await post(admin, { intent: "reveal", id })).toMatchObject({
    ok: true,
    message: null,
    value: { password: "tea-SECRET" },
  });
  expect(await countEvents(id, "credential.revealed")).toBe(1);
  expect(await post(admin, { intent: "delete", id })).toMatchObject({
    ok: true,
    message: "Credential deleted successfully!",
  });
  expect(await rowOf(id)).toBeUndefined();
});

test("a fault in the tab of credentials shows the message of the requirements and no detail", async () => {
  const db = new Proxy(shop.db, {
    get() {
      throw new Error("secret detail");
    },
  });
  const answers: unknown[] = [];
  for (const intent of ["create", "update", "delete"]) {
    const fields = { intent, ...form("fault@example.com"), id: crypto.randomUUID(), version: "1" };
    answers.push(await post({ ...admin, db }, fields));
  }
  expect(answers).toMatchObject([
    { status: 500, message: "Failed to create credential" },
    { status: 500, message: "Failed to update credential" },
    { status: 500, message: "Failed to delete credential" },
  ]);
});

test("a reveal and a deletion of a credential ask for the password when its last entry is more than 15 minutes ago", async () => {
  const { id } = await createCredential(admin, form("late@example.com"));
  for (const intent of ["reveal", "delete"]) {
    const answer = await post(withOldPassword(admin), { intent, id });
    expect(answer).toMatchObject({ status: 403, ok: false, code: "password-needed" });
    expect(JSON.stringify(answer)).not.toContain("SECRET");
  }
  expect(await countEvents(id, "credential.revealed")).toBe(0);
  expect(await rowOf(id)).toMatchObject({ version: 1 });
});

test("a visitor and a buyer are refused every operation on credentials, and nothing changes", async () => {
  const { id } = await createCredential(admin, form("kept@example.com"));
  const [before, rows] = [await rowOf(id), await shop.db.$count(credentials)];
  for (const [ctx, status] of [
    [shop.visitor(), 401],
    [await shop.user(), 403],
  ] as const) {
    for (const intent of ["create", "update", "delete", "reveal"]) {
      const answer = await post(ctx, { intent, ...form("new@example.com"), id, version: "1" });
      expect(answer).toMatchObject({ status, ok: false });
      expect(JSON.stringify(answer)).not.toContain("SECRET");
    }
  }
  expect(await rowOf(id)).toEqual(before);
  expect(await shop.db.$count(credentials)).toBe(rows);
  expect(await shop.db.$count(auditEvents, eq(auditEvents.subjectId, id))).toBe(1);
});
