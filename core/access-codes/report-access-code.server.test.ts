import { and, asc, eq } from "drizzle-orm";
import { afterAll, describe, expect, test } from "vitest";
import { auditEvents, mailMessages } from "#db/tables/operations.ts";
import { accessCodeReports, accessCodes } from "#db/tables/vault.ts";
import { now, openToolPageShop } from "#tests/fixtures/tool-page-shop.ts";
import type { Actor, Context } from "../context.ts";
import { HOUR, MINUTE } from "../time.ts";
import { getToolPage } from "../tool-pages/get-tool-page.server.ts";
import { listAccessCodes } from "./list-access-codes.server.ts";
import { revealAccessCodeToAdmin, updateAccessCode } from "./manage-access-codes.server.ts";
import { dismissReports, findReportedCodes, reportAccessCode } from "./report-access-code.server.ts";

const shop = await openToolPageShop();
const { addPass, addUser, admin, chat, contextOf, db } = shop;
afterAll(() => shop.close());

const SERVER = "chatgpt-server-1";

/** The context of an actor some time after `now`. */
const contextAt = (actor: Actor, afterMs: number): Context => ({
  ...contextOf(actor),
  clock: { now: () => new Date(now.getTime() + afterMs) },
});
const report = (actor: Actor, { afterMs = 0, serverId = SERVER, page = "chatgpt" } = {}) =>
  reportAccessCode(contextAt(actor, afterMs), { page, serverId });
const reportsOf = (userId: string) => db.$count(accessCodeReports, eq(accessCodeReports.userId, userId));

async function addBuyer() {
  const buyer = await addUser();
  await addPass(buyer, { toolId: chat.id, toolName: chat.name });
  return buyer;
}

async function serversOf(actor: Actor, afterMs = 0) {
  const page = await getToolPage(contextAt(actor, afterMs), { slug: "chatgpt" });
  if (page.access === "required") throw new Error("the page is not open");
  return page.servers;
}

/** Changes the code of Server 1, or only its other fields. */
async function changeCode(afterMs: number, simpleCode?: string) {
  const [row] = await db.select().from(accessCodes).where(eq(accessCodes.serverName, "Server 1"));
  const passwordEnteredAt = new Date(now.getTime() + afterMs);
  const ctx = contextAt({ ...admin, kind: "admin", passwordEnteredAt }, afterMs);
  const edit = await revealAccessCodeToAdmin(ctx, { id: row?.id });
  await updateAccessCode(ctx, { ...edit, simpleCode: simpleCode ?? edit.simpleCode });
}

async function listedCode() {
  const { rows } = await listAccessCodes(contextOf(admin), {});
  const code = rows.find(({ serverName }) => serverName === "Server 1");
  if (code === undefined) throw new Error("Server 1 has no code");
  return code;
}
const countedReports = async () => (await listedCode()).reports;

test("a report that a code does not work is stored, audited, shown on the buyer's page and counted for the admin", async () => {
  const buyer = await addBuyer();
  const before = await countedReports();
  expect(await report(buyer)).toEqual({ reportedAt: now });
  expect((await serversOf(buyer)).map(({ reportedAt }) => reportedAt)).toEqual([now, null, null]);
  expect((await serversOf(await addBuyer())).map(({ reportedAt }) => reportedAt)).toEqual([null, null, null]);
  expect(await countedReports()).toBe(before + 1);
  const [event] = await db.select().from(auditEvents).where(eq(auditEvents.actorId, buyer.userId));
  expect(event).toMatchObject({
    action: "access-code.reported",
    details: { page: "chatgpt", serverId: SERVER },
  });
});

test("a report that a code does not work is stored once when 60 arrive at the same time", async () => {
  const buyer = await addBuyer();
  const answers = await Promise.all(Array.from({ length: 60 }, () => report(buyer)));
  expect(new Set(answers.map(({ reportedAt }) => reportedAt.getTime()))).toEqual(new Set([now.getTime()]));
  expect(await reportsOf(buyer.userId)).toBe(1);
});

test("a report that a code does not work counts once in an hour for each server and buyer", async () => {
  const buyer = await addBuyer();
  await report(buyer);
  expect(await report(buyer, { afterMs: HOUR - 1 })).toEqual({ reportedAt: now });
  await report(buyer, { serverId: "chatgpt-server-2" });
  expect(await reportsOf(buyer.userId)).toBe(2);
  expect((await serversOf(buyer, HOUR))[0]).toMatchObject({ reportedAt: null });
  await report(buyer, { afterMs: HOUR });
  expect(await reportsOf(buyer.userId)).toBe(3);
});

test("a report is about the code of that moment: a changed code has no reports and can be reported", async () => {
  const buyer = await addBuyer();
  // After all that the other tests have reported.
  const start = 2 * HOUR;
  await report(buyer, { afterMs: start });
  const [before] = await serversOf(buyer, start);
  await changeCode(start + MINUTE);
  const [edited] = await serversOf(buyer, start + 2 * MINUTE);
  expect(edited).toEqual(before);
  await changeCode(start + MINUTE, "CGPT-NEW");
  const [changed] = await serversOf(buyer, start + 2 * MINUTE);
  expect(changed).toMatchObject({ reportedAt: null });
  expect(changed?.codeVersion).not.toBe(before?.codeVersion);
  expect(await countedReports()).toBe(0);
  await report(buyer, { afterMs: start + 3 * MINUTE });
  expect(await countedReports()).toBe(1);
  expect(await reportsOf(buyer.userId)).toBe(2);
});

test("the owner gets one mail about a code that is reported 20 times at once, and another mail when a new code is reported", async () => {
  const start = 8 * HOUR;
  await changeCode(start, "CGPT-TOLD");
  const told = () => db.$count(mailMessages, eq(mailMessages.kind, "code-reported"));
  const before = await told();
  const buyers = await Promise.all(Array.from({ length: 20 }, addBuyer));
  await Promise.all(buyers.map((buyer) => report(buyer, { afterMs: start + MINUTE })));
  expect(await told()).toBe(before + 1);
  const sent = await db.select().from(mailMessages).where(eq(mailMessages.kind, "code-reported"));
  expect(new Set(sent.map(({ recipient }) => recipient))).toEqual(new Set([admin.email]));
  await changeCode(start + HOUR, "CGPT-TOLD-2");
  await report(await addBuyer(), { afterMs: start + 2 * HOUR });
  expect(await told()).toBe(before + 2);
});

test("the other buyers read how many reported a code within the last day, each counted once, and not who", async () => {
  const start = 30 * HOUR;
  await changeCode(start, "CGPT-WARNED");
  const [first, second, reader] = [await addBuyer(), await addBuyer(), await addBuyer()];
  const seenBy = async (actor: Actor, afterMs: number) => {
    const [server] = await serversOf(actor, afterMs);
    return { own: server?.reportedAt, others: server?.otherReports };
  };
  await report(first, { afterMs: start + MINUTE });
  await report(first, { afterMs: start + 2 * HOUR });
  await report(second, { afterMs: start + 2 * HOUR });
  const at = start + 2 * HOUR + MINUTE;
  expect(await seenBy(reader, at)).toEqual({ own: null, others: 2 });
  expect(await seenBy(first, at)).toEqual({ own: new Date(now.getTime() + start + 2 * HOUR), others: 1 });
  expect(JSON.stringify(await serversOf(reader, at))).not.toContain(first.userId);
  expect(await seenBy(reader, start + 26 * HOUR)).toEqual({ own: null, others: 0 });
  await report(second, { afterMs: start + 27 * HOUR });
  await changeCode(start + 28 * HOUR, "CGPT-REPAIRED");
  expect(await seenBy(reader, start + 28 * HOUR)).toEqual({ own: null, others: 0 });
});

describe("the owner says that a reported code works", () => {
  /** What the list of codes shows, for the operation. */
  const shown = async () => {
    const { id, lastReportedAt } = await listedCode();
    return { id, lastReportedAt: lastReportedAt?.toISOString() ?? "" };
  };
  const dismissals = (id: string) =>
    db
      .select({ actorId: auditEvents.actorId, details: auditEvents.details })
      .from(auditEvents)
      .where(and(eq(auditEvents.subjectId, id), eq(auditEvents.action, "access-code.checked")))
      .orderBy(asc(auditEvents.id));

  test("the reports of a code that the owner says works count no more, nobody is warned, and its buyers may report it again", async () => {
    const start = 60 * HOUR;
    await changeCode(start, "CGPT-WORKS");
    const [first, second] = [await addBuyer(), await addBuyer()];
    for (const buyer of [first, second]) await report(buyer, { afterMs: start + MINUTE });
    const seen = await shown();
    const told = () => db.$count(mailMessages, eq(mailMessages.kind, "code-reported"));
    const mails = await told();
    expect(await dismissReports(contextOf(admin), seen)).toEqual({ count: 2 });
    expect(await listedCode()).toMatchObject({ reports: 0, lastReportedAt: null });
    expect((await findReportedCodes(db)).map(({ accessCodeId }) => accessCodeId)).not.toContain(seen.id);
    const [server] = await serversOf(first, start + 2 * MINUTE);
    expect(server).toMatchObject({ reportedAt: null, otherReports: 0 });
    expect(await dismissals(seen.id)).toEqual([{ actorId: admin.userId, details: { reports: 2 } }]);

    const again = new Date(now.getTime() + start + 2 * MINUTE);
    expect(await report(first, { afterMs: start + 2 * MINUTE })).toEqual({ reportedAt: again });
    expect(await countedReports()).toBe(1);
    expect(await told()).toBe(mails + 1);
  });

  test("a second press that a code works, and twenty at once, dismiss nothing more and are audited once", async () => {
    const start = 70 * HOUR;
    await changeCode(start, "CGPT-PRESSED");
    await report(await addBuyer(), { afterMs: start + MINUTE });
    const seen = await shown();
    const presses = Array.from({ length: 20 }, () => dismissReports(contextOf(admin), seen));
    const counts = (await Promise.all(presses)).map(({ count }) => count);
    expect(counts.reduce((sum, count) => sum + count)).toBe(1);
    const before = await dismissals(seen.id);
    expect(await dismissReports(contextOf(admin), seen)).toEqual({ count: 0 });
    expect(await dismissals(seen.id)).toEqual(before);
    expect(before.at(-1)?.details).toEqual({ reports: 1 });
  });

  test("a report that came after those that the owner saw stays, also when it comes at the same moment", async () => {
    const start = 80 * HOUR;
    await changeCode(start, "CGPT-RACED");
    await report(await addBuyer(), { afterMs: start + MINUTE });
    const seen = await shown();
    await report(await addBuyer(), { afterMs: start + 2 * MINUTE });
    const later = await Promise.all(Array.from({ length: 5 }, addBuyer));
    const [dismissed] = await Promise.all([
      dismissReports(contextOf(admin), seen),
      ...later.map((buyer) => report(buyer, { afterMs: start + 2 * MINUTE })),
    ]);
    expect(dismissed).toEqual({ count: 1 });
    expect(await countedReports()).toBe(6);
  });

  test("only the owner says that a code works, and not for an unknown code or without a time", async () => {
    const start = 90 * HOUR;
    await changeCode(start, "CGPT-REFUSED");
    const buyer = await addBuyer();
    await report(buyer, { afterMs: start + MINUTE });
    const seen = await shown();
    const audited = await dismissals(seen.id);
    const attempt = (actor: Actor, changes: object = {}) =>
      dismissReports(contextOf(actor), { ...seen, ...changes });
    await expect(attempt(buyer)).rejects.toMatchObject({ code: "forbidden" });
    await expect(attempt({ kind: "visitor" })).rejects.toMatchObject({ code: "unauthenticated" });
    await expect(attempt({ kind: "system" })).rejects.toMatchObject({ code: "unauthenticated" });
    await expect(attempt(admin, { id: crypto.randomUUID() })).rejects.toMatchObject({ code: "not-found" });
    await expect(attempt(admin, { id: "no id" })).rejects.toMatchObject({ code: "invalid-input" });
    await expect(attempt(admin, { lastReportedAt: "" })).rejects.toMatchObject({ code: "invalid-input" });
    expect(await countedReports()).toBe(1);
    expect(await dismissals(seen.id)).toEqual(audited);
  });
});

test("a report of a code is refused from an admin, and for a free tool", async () => {
  await expect(report(admin)).rejects.toMatchObject({ code: "forbidden" });
  const user = await addUser();
  const free = { page: "grammar", serverId: "grammar-server-1" };
  await expect(report(user, free)).rejects.toMatchObject({ code: "forbidden" });
  expect(await reportsOf(user.userId)).toBe(0);
  expect(await getToolPage(contextOf(user), { slug: "grammar" })).toMatchObject({ canReport: false });
});

test("a report of a code is refused for a server without a code, of another tool, or without an id", async () => {
  const buyer = await addBuyer();
  await expect(report(buyer, { serverId: "chatgpt-server-3" })).rejects.toMatchObject({
    code: "access-code-not-found",
    details: { server: "Server 3" },
  });
  await expect(report(buyer, { serverId: "grammar-server-1" })).rejects.toMatchObject({
    code: "not-found",
  });
  await expect(report(buyer, { serverId: "" })).rejects.toMatchObject({ code: "invalid-input" });
  expect(await reportsOf(buyer.userId)).toBe(0);
});
