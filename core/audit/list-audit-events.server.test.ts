import { eq } from "drizzle-orm";
import { uuidv7 } from "uuidv7";
import { afterAll, beforeAll, expect, test } from "vitest";
import { users } from "#db/tables/accounts.ts";
import { freshDatabase } from "#tests/database/database.ts";
import { openTestShop } from "#tests/fixtures/open-test-shop.ts";
import { createManualClock } from "#tests/manual-clock.ts";
import { createAccessCode, deleteAccessCode } from "../access-codes/manage-access-codes.server.ts";
import type { AuthorisedContext } from "../authorise.ts";
import { createCredential, deleteCredential } from "../credentials/manage-credentials.server.ts";
import type { ListInput } from "../lists/paging.ts";
import { listMail } from "../mail/manage-outbox.server.ts";
import { MINUTE } from "../time.ts";
import { listAuditEvents } from "./list-audit-events.server.ts";
import { recordAudit } from "./record-audit.server.ts";

const shop = openTestShop(await freshDatabase(), { clock: createManualClock() });
let admin: AuthorisedContext & { actor: { email: string } };
let buyer: AuthorisedContext & { actor: { email: string; userId: string } };

beforeAll(async () => {
  admin = await shop.user("admin");
  buyer = await shop.user();
  expect(await listAuditEvents(admin, {})).toMatchObject({ rows: [], total: 0, totalIsExact: true });
  const record = async (ctx: AuthorisedContext, action: string, subjectId: string) => {
    await recordAudit(ctx, ctx.db, {
      action,
      subjectType: "purchase",
      subjectId,
      details: { reason: "test" },
    });
    shop.clock.advance(MINUTE);
  };
  await record(admin, "purchase.cancelled", "one");
  await record(buyer, "access-code.revealed", "two");
  await record(shop.system(), "refund.requested", "three");
});
afterAll(() => shop.close());

const actions = async (input: ListInput) =>
  (await listAuditEvents(admin, input)).rows.map(({ action }) => action);

test("the audit log shows who did what to which subject, newest first", async () => {
  const { rows, total, totalIsExact } = await listAuditEvents(admin, {});
  expect([total, totalIsExact]).toEqual([3, true]);
  expect(rows.map(({ action }) => action)).toEqual([
    "refund.requested",
    "access-code.revealed",
    "purchase.cancelled",
  ]);
  expect(rows[0]).toMatchObject({ actorKind: "system", actorEmail: null });
  expect(rows[2]).toMatchObject({
    actorKind: "admin",
    actorEmail: admin.actor.email,
    subjectType: "purchase",
    subjectId: "one",
    details: { reason: "test" },
  });
});

test.each<[() => ListInput, string[]]>([
  [() => ({ q: "REVEAL" }), ["access-code.revealed"]],
  [() => ({ q: "three" }), ["refund.requested"]],
  [() => ({ q: "thre" }), []],
  [() => ({ q: admin.actor.email.slice(0, 30) }), ["purchase.cancelled"]],
  [() => ({ q: "--" }), []],
  [() => ({ actor: "user" }), ["access-code.revealed"]],
  [
    () => ({ actor: "nobody", direction: "asc" }),
    ["purchase.cancelled", "access-code.revealed", "refund.requested"],
  ],
])("the audit log is searched by action, subject and address, and filtered: %#", async (input, found) => {
  expect(await actions(input())).toEqual(found);
});

test("an event names its subject as it is called now, and is found by the address of an account it is about", async () => {
  const tool = await shop.tool({ name: "Canva" });
  const coupon = await shop.coupon(tool.id);
  const subjects = [
    { subjectType: "tool", subjectId: tool.id },
    { subjectType: "coupon", subjectId: coupon.id },
    { subjectType: "user", subjectId: buyer.actor.userId },
    { subjectType: "store" },
    { subjectType: "tool", subjectId: uuidv7() },
    { subjectType: "purchase", subjectId: "no uuid" },
  ];
  for (const subject of subjects) {
    await recordAudit(admin, admin.db, { action: "test.named", ...subject });
    shop.clock.advance(MINUTE);
  }
  const { rows } = await listAuditEvents(admin, { q: "test.named", direction: "asc" });
  expect(rows.map(({ subjectName }) => subjectName)).toEqual([
    "Canva",
    coupon.code,
    buyer.actor.email,
    null,
    null,
    null,
  ]);
  const found = await listAuditEvents(admin, { q: buyer.actor.email });
  expect(found.rows.map(({ action }) => action)).toEqual(["test.named", "access-code.revealed"]);
});

test("an event about a deleted credential or access code names it as it was", async () => {
  const tool = await shop.tool({
    name: "Grammarly",
    servers: [{ id: "server-1", name: "Server 1", url: null }],
  });
  const code = await createAccessCode(admin, {
    toolId: tool.id,
    serverName: "Server 1",
    simpleCode: "CODE-1234",
    isActive: true,
  });
  const shared = { service: "QuillBot", email: "shared@example.com" };
  const credential = await createCredential(admin, { ...shared, password: "secret", isActive: true });
  await deleteAccessCode(admin, code);
  await deleteCredential(admin, credential);
  const namesOf = async (q: string) =>
    (await listAuditEvents(admin, { q })).rows.map(({ subjectName }) => subjectName);
  expect(await namesOf(code.id)).toEqual(Array(2).fill("Server 1 of Grammarly"));
  expect(await namesOf(credential.id)).toEqual(Array(2).fill("QuillBot (shared@example.com)"));
});

test("a search that matches more accounts than are looked for says that rows are missing", async () => {
  expect(await listAuditEvents(admin, { q: buyer.actor.email })).toMatchObject({ isPartial: false });
  await shop.db
    .insert(users)
    .values(Array.from({ length: 1_001 }, (_, at) => ({ email: `many-${at}@example.com` })));
  expect(await listAuditEvents(admin, { q: "many-" })).toMatchObject({ isPartial: true });
  expect(await listAuditEvents(admin, { q: "many-1000" })).toMatchObject({ isPartial: false });
  expect(await listMail(admin, { q: "many-" })).toMatchObject({ isPartial: true });
  expect(await listMail(admin, { q: "many-1000" })).toMatchObject({ isPartial: false });
});

test("the audit log is for admins only", async () => {
  await expect(listAuditEvents(shop.visitor(), {})).rejects.toMatchObject({ code: "unauthenticated" });
  await expect(listAuditEvents(buyer, {})).rejects.toMatchObject({ code: "forbidden" });
});

test("a search finds what a tool, a coupon or a credential is called, and the name of a buyer", async () => {
  const tool = await shop.tool({ name: "Claude Pro" });
  const coupon = await shop.coupon(tool.id);
  const named = await shop.user();
  await shop.db.update(users).set({ name: "Jean-Claude" }).where(eq(users.id, named.actor.userId));
  const about = (action: string, subjectType: string, subjectId: string) =>
    recordAudit(shop.system(), shop.db, { action, subjectType, subjectId });
  await about("test.tool-searched", "tool", tool.id);
  await about("test.coupon-searched", "coupon", coupon.id);
  await about("test.user-searched", "user", named.actor.userId);
  expect(await actions({ q: "claude" })).toEqual(["test.user-searched", "test.tool-searched"]);
  expect(await actions({ q: "cl" })).toEqual(["test.user-searched", "test.tool-searched"]);
  expect(await actions({ q: coupon.code.toLowerCase() })).toEqual(["test.coupon-searched"]);
});
