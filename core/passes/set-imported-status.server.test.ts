import { uuidv7 } from "uuidv7";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { tools } from "#db/tables/catalog.ts";
import type { userPurchases } from "#db/tables/purchases.ts";
import { inTransaction } from "#db/transaction.ts";
import { withOldPassword } from "#tests/fixtures/open-test-shop.ts";
import { type SandboxShop, startSandboxShop } from "#tests/fixtures/sandbox-shop.ts";
import { createAccessCode } from "../access-codes/manage-access-codes.server.ts";
import { recountStock } from "../catalog/stock.server.ts";
import type { Context } from "../context.ts";
import { addDays } from "../time.ts";
import { findActivePass } from "./access.server.ts";
import { getPurchaseTimeline } from "./get-purchase-timeline.server.ts";
import { calledStatus, storedStatus } from "./purchase-states.ts";
import { IMPORTED_STATUSES } from "./schemas.ts";
import { setImportedStatus } from "./set-imported-status.server.ts";

let shop: SandboxShop;
let admin: Context;
beforeAll(async () => {
  shop = await startSandboxShop();
  admin = await shop.user("admin");
});
afterAll(() => shop.close());

type Values = Partial<typeof userPurchases.$inferInsert>;

/** An imported purchase that was left pending two days ago and has no times, unless `values` say otherwise. */
async function imported(values: Values = {}, toolValues: Partial<typeof tools.$inferInsert> = {}) {
  const tool = await shop.tool(toolValues);
  const buyer = await shop.user();
  const purchaseId = uuidv7();
  const createdAt = addDays(shop.clock.now(), -2);
  await shop.pass(buyer, {
    id: purchaseId,
    source: "import",
    status: "pending",
    toolId: tool.id,
    toolName: tool.name,
    validityDays: 10,
    createdAt,
    startsAt: null,
    expiresAt: null,
    ...values,
  });
  const row = async () => {
    const found = (await shop.purchasesOf(buyer)).find(({ id }) => id === purchaseId);
    return found && { status: calledStatus(found), startsAt: found.startsAt, expiresAt: found.expiresAt };
  };
  const hasPass = async () =>
    (await findActivePass(buyer, shop.db, { userId: buyer.actor.userId, toolId: tool.id })) !== null;
  return { tool, buyer, purchaseId, createdAt, row, hasPass };
}

const auditsOf = async (purchaseId: string) =>
  (await shop.auditsOf(purchaseId)).map(({ action, details, actorKind }) => ({ action, details, actorKind }));

describe("the status of an imported purchase", () => {
  test.each([
    "completed",
    "active",
  ] as const)("the status of an imported purchase becomes '%s', with the times that it lacks", async (status) => {
    const { purchaseId, createdAt, row, hasPass } = await imported();
    const after = { status, startsAt: createdAt, expiresAt: addDays(createdAt, 10) };
    expect(await setImportedStatus(admin, { purchaseId, status })).toEqual(after);
    expect(await row()).toEqual(after);
    expect(await hasPass()).toBe(true);
    expect(await auditsOf(purchaseId)).toEqual([
      {
        actorKind: "admin",
        action: "purchase.status-set",
        details: {
          before: { status: "pending", startsAt: null, expiresAt: null },
          after: JSON.parse(JSON.stringify(after)),
        },
      },
    ]);
    const { entries } = await getPurchaseTimeline(admin, { purchaseId });
    expect(entries).toMatchObject([
      { kind: "purchase-created" },
      { kind: "pass-started" },
      { kind: "audit", action: "purchase.status-set" },
    ]);
  });

  test("the status of an imported purchase becomes each of the four from each of the four", async () => {
    for (const from of IMPORTED_STATUSES)
      for (const to of IMPORTED_STATUSES) {
        const times = { startsAt: addDays(shop.clock.now(), -1), expiresAt: addDays(shop.clock.now(), 1) };
        // As an older version has stored it, and as it is stored now.
        for (const stored of [{ status: from }, storedStatus(from)]) {
          const { purchaseId, row, hasPass } = await imported({ ...stored, ...times });
          await setImportedStatus(admin, { purchaseId, status: to });
          expect(await row(), `${from} to ${to}`).toEqual({ status: to, ...times });
          expect(await hasPass(), `${from} to ${to}`).toBe(to === "completed" || to === "active");
          const changes = (await auditsOf(purchaseId)).map(({ details }) => details);
          const change = { before: { status: from }, after: { status: to } };
          expect(changes, `${from} to ${to}`).toMatchObject(from === to ? [] : [change]);
        }
      }
  });

  test("an imported purchase that becomes 'active' is stored as completed, and the word is remembered until it becomes another one", async () => {
    const { purchaseId, buyer } = await imported();
    const stored = async () => {
      const [found] = await shop.purchasesOf(buyer);
      return [found?.status, found?.calledActive];
    };
    await setImportedStatus(admin, { purchaseId, status: "active" });
    expect(await stored()).toEqual(["completed", true]);
    await setImportedStatus(admin, { purchaseId, status: "failed" });
    expect(await stored()).toEqual(["failed", false]);
    await setImportedStatus(admin, { purchaseId, status: "active" });
    await setImportedStatus(admin, { purchaseId, status: "completed" });
    expect(await stored()).toEqual(["completed", false]);
  });

  test("an imported purchase may become completed with an end before its start, as an old shop may have it: no access", async () => {
    const wrong = { startsAt: addDays(shop.clock.now(), -1), expiresAt: addDays(shop.clock.now(), -9) };
    const { purchaseId, row, hasPass } = await imported(wrong);
    await setImportedStatus(admin, { purchaseId, status: "completed" });
    expect(await row()).toMatchObject({ startsAt: wrong.expiresAt, expiresAt: wrong.expiresAt });
    expect(await hasPass()).toBe(false);
  });

  test("two changes of the status of an imported purchase at the same time are audited once each, and the last one stands", async () => {
    const { purchaseId, row } = await imported();
    await Promise.all(
      ["completed", "failed", "completed", "failed"].map((status) =>
        setImportedStatus(admin, { purchaseId, status }),
      ),
    );
    const events = (await auditsOf(purchaseId)).map(({ details }) => details);
    for (const [at, { before }] of events.entries())
      expect(before).toEqual(events[at - 1]?.after ?? { status: "pending", startsAt: null, expiresAt: null });
    expect(events.at(-1)?.after).toMatchObject({ status: (await row())?.status });
  });

  test("an imported purchase that becomes a pass uses the code of its buyer where each buyer gets one, and frees it", async () => {
    const server = { id: "s-1", name: "Server 1", url: null, perBuyer: true as const };
    const { purchaseId, tool, row } = await imported({}, { servers: [server] });
    const code = { toolId: tool.id, serverName: "Server 1", perBuyer: true, isActive: true };
    await createAccessCode(admin, { ...code, simpleCode: uuidv7() });
    await inTransaction(shop.db, (tx) => recountStock(admin, tx, tool.id));
    expect(await shop.stockOf(tool.id)).toBe(1);
    await setImportedStatus(admin, { purchaseId, status: "completed" });
    expect(await shop.stockOf(tool.id)).toBe(0);
    await setImportedStatus(admin, { purchaseId, status: "failed" });
    expect(await shop.stockOf(tool.id)).toBe(1);

    const other = await shop.user();
    const second = uuidv7();
    await shop.pass(other, { id: second, source: "import", toolId: tool.id, toolName: tool.name });
    await expect(setImportedStatus(admin, { purchaseId, status: "active" })).rejects.toMatchObject({
      code: "tool-out-of-stock",
    });
    expect(await row()).toMatchObject({ status: "failed" });
  });
});

describe("is refused", () => {
  test("an imported purchase cannot become a pass beside another one of the buyer for the tool", async () => {
    const { purchaseId, buyer, tool, row } = await imported();
    await shop.pass(buyer, { toolId: tool.id, toolName: tool.name });
    for (const status of ["completed", "active"])
      await expect(setImportedStatus(admin, { purchaseId, status })).rejects.toMatchObject({
        code: "already-owned",
      });
    expect(await row()).toMatchObject({ status: "pending", startsAt: null });
    await setImportedStatus(admin, { purchaseId, status: "failed" });
    expect((await auditsOf(purchaseId)).map(({ details }) => details.after)).toMatchObject([
      { status: "failed" },
    ]);
  });

  test.each([
    "superseded",
    "cancelled",
    "deleted",
  ] as const)("the status of an ended imported purchase cannot be changed: %s", async (endedReason) => {
    const ended = { status: "completed", endedAt: shop.clock.now(), endedReason } as const;
    const { purchaseId, row } = await imported({
      ...ended,
      startsAt: addDays(shop.clock.now(), -2),
      expiresAt: addDays(shop.clock.now(), 2),
    });
    const before = await row();
    await expect(setImportedStatus(admin, { purchaseId, status: "failed" })).rejects.toMatchObject({
      code: "pass-not-changeable",
    });
    expect(await row()).toEqual(before);
  });

  test.each([
    "checkout",
    "admin",
    "giveaway",
  ] as const)("the status of a purchase that was not imported cannot be changed: %s", async (source) => {
    const { purchaseId, row } = await imported({ source });
    await expect(setImportedStatus(admin, { purchaseId, status: "completed" })).rejects.toMatchObject({
      code: "purchase-not-imported",
    });
    expect(await row()).toMatchObject({ status: "pending" });
  });

  test("a wrong status and a purchase that does not exist are refused as an imported status", async () => {
    const { purchaseId } = await imported();
    await expect(setImportedStatus(admin, { purchaseId, status: "expired" })).rejects.toMatchObject({
      code: "invalid-input",
    });
    await expect(setImportedStatus(admin, { purchaseId: uuidv7(), status: "failed" })).rejects.toMatchObject({
      code: "purchase-not-found",
    });
  });

  test("only an admin with a recent password changes the status of an imported purchase", async () => {
    const { purchaseId, buyer, row } = await imported();
    for (const [ctx, code] of [
      [buyer, "forbidden"],
      [shop.visitor(), "unauthenticated"],
      [shop.system(), "unauthenticated"],
      [withOldPassword(admin), "password-needed"],
    ] as const)
      await expect(setImportedStatus(ctx, { purchaseId, status: "completed" })).rejects.toMatchObject({
        code,
      });
    expect(await row()).toMatchObject({ status: "pending" });
    expect(await auditsOf(purchaseId)).toEqual([]);
  });
});
