import { eq } from "drizzle-orm";
import { afterAll, describe, expect, test } from "vitest";
import { auditEvents, mailMessages } from "#db/tables/operations.ts";
import { accessCodeReports, accessCodes } from "#db/tables/vault.ts";
import { now, openToolPageShop } from "#tests/fixtures/tool-page-shop.ts";
import type { Actor, Context } from "../context.ts";
import { HOUR, MINUTE } from "../time.ts";
import { getToolPage } from "../tool-pages/get-tool-page.server.ts";
import { listAccessCodes } from "./list-access-codes.server.ts";
import { revealAccessCodeToAdmin, updateAccessCode } from "./manage-access-codes.server.ts";
import { reportAccessCode } from "./report-access-code.server.ts";

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

async function countedReports() {
  const { rows } = await listAccessCodes(contextOf(admin), {});
  return rows.find(({ serverName }) => serverName === "Server 1")?.reports;
}

describe("a report that a code does not work", () => {
  test("is stored, audited, shown on the buyer's page and counted for the admin", async () => {
    const buyer = await addBuyer();
    const before = (await countedReports()) ?? 0;
    expect(await report(buyer)).toEqual({ reportedAt: now });
    expect((await serversOf(buyer)).map(({ reportedAt }) => reportedAt)).toEqual([now, null, null]);
    expect((await serversOf(await addBuyer())).map(({ reportedAt }) => reportedAt)).toEqual([
      null,
      null,
      null,
    ]);
    expect(await countedReports()).toBe(before + 1);
    const [event] = await db.select().from(auditEvents).where(eq(auditEvents.actorId, buyer.userId));
    expect(event).toMatchObject({
      action: "access-code.reported",
      details: { page: "chatgpt", serverId: SERVER },
    });
  });

  test("is stored once when 60 arrive at the same time", async () => {
    const buyer = await addBuyer();
    const answers = await Promise.all(Array.from({ length: 60 }, () => report(buyer)));
    expect(new Set(answers.map(({ reportedAt }) => reportedAt.getTime()))).toEqual(new Set([now.getTime()]));
    expect(await reportsOf(buyer.userId)).toBe(1);
  });

  test("counts once in an hour for each server and buyer", async () => {
    const buyer = await addBuyer();
    await report(buyer);
    expect(await report(buyer, { afterMs: HOUR - 1 })).toEqual({ reportedAt: now });
    await report(buyer, { serverId: "chatgpt-server-2" });
    expect(await reportsOf(buyer.userId)).toBe(2);
    expect((await serversOf(buyer, HOUR))[0]).toMatchObject({ reportedAt: null });
    await report(buyer, { afterMs: HOUR });
    expect(await reportsOf(buyer.userId)).toBe(3);
  });

  test("is about the code of that moment: a changed code has no reports and can be reported", async () => {
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
});

test("the owner gets one mail about a code that is reported 20 times at once, and another when the new code is", async () => {
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

test("other buyers read how many reported a code within the last day, each counted once, and not who", async () => {
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

describe("a report that a code does not work is refused and not stored", () => {
  test("from an admin, and for a free tool", async () => {
    await expect(report(admin)).rejects.toMatchObject({ code: "forbidden" });
    const user = await addUser();
    const free = { page: "grammar", serverId: "grammar-server-1" };
    await expect(report(user, free)).rejects.toMatchObject({ code: "forbidden" });
    expect(await reportsOf(user.userId)).toBe(0);
    expect(await getToolPage(contextOf(user), { slug: "grammar" })).toMatchObject({ canReport: false });
  });

  test("for a server without a code, of another tool, or without an id", async () => {
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
});
