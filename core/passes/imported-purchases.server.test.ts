import { eq } from "drizzle-orm";
import { uuidv7 } from "uuidv7";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { tools } from "#db/tables/catalog.ts";
import { userPurchases } from "#db/tables/purchases.ts";
import { inTransaction } from "#db/transaction.ts";
import { startPaidCheckout } from "#tests/fixtures/open-test-shop.ts";
import { type SandboxShop, startSandboxShop } from "#tests/fixtures/sandbox-shop.ts";
import { createAccessCode } from "../access-codes/manage-access-codes.server.ts";
import { deleteUser, describeUserDeletion } from "../accounts/delete-account.server.ts";
import { recountStock } from "../catalog/stock.server.ts";
import { confirmCheckout, refreshCheckoutStatus } from "../checkout/checkout-status.server.ts";
import { cancelCheckout, expireHolds } from "../checkout/end-checkout.server.ts";
import { getOffer } from "../checkout/get-offer.server.ts";
import { HOLDS_PER_ACCOUNT } from "../checkout/hold-rules.ts";
import { startCheckout } from "../checkout/start-checkout.server.ts";
import type { Context } from "../context.ts";
import { listCoupons } from "../coupons/manage-coupons.server.ts";
import { cancelPurchase, describeCancellation } from "../payments/cancel-purchase.server.ts";
import { auditLedger } from "../reports/audit-ledger.server.ts";
import { addDays, HOUR } from "../time.ts";
import { findActivePass } from "./access.server.ts";
import { extendPurchase, setPurchaseExpiry } from "./change-pass-times.server.ts";
import { deletePurchase } from "./end-purchases.server.ts";
import { getPurchaseTimeline } from "./get-purchase-timeline.server.ts";
import { assignTool } from "./give-pass.server.ts";
import { listMyPasses } from "./list-my-passes.server.ts";
import { getMyPurchase, listMyPurchases } from "./list-my-purchases.server.ts";
import { listPurchases, listUserPurchases } from "./list-purchases.server.ts";

let shop: SandboxShop;
let admin: Context;
beforeAll(async () => {
  shop = await startSandboxShop();
  admin = await shop.user("admin");
});
afterAll(() => shop.close());

type Values = Partial<typeof userPurchases.$inferInsert>;

/** A buyer with one purchase of a tool that the import has written, by default a pass that runs. */
async function imported(values: Values = {}, toolValues: Partial<typeof tools.$inferInsert> = {}) {
  const tool = await shop.tool(toolValues);
  const buyer = await shop.user();
  const id = await add(buyer, { toolId: tool.id, toolName: tool.name, ...values });
  const row = async () => (await shop.purchasesOf(buyer)).find((purchase) => purchase.id === id);
  const hasPass = async () =>
    (await findActivePass(buyer, shop.db, { userId: buyer.actor.userId, toolId: tool.id })) !== null;
  return { tool, buyer, userId: buyer.actor.userId, id, row, hasPass };
}

async function add(buyer: Awaited<ReturnType<SandboxShop["user"]>>, values: Values & { toolName: string }) {
  const id = uuidv7();
  await shop.pass(buyer, { id, source: "import", createdAt: addDays(shop.clock.now(), -1), ...values });
  return id;
}

/** As an old shop leaves a purchase that nobody has paid: with or without the times of a pass. */
const PENDING: Values = { status: "pending", startsAt: null, expiresAt: null };
const PENDING_WITH_TIMES: Values = { status: "pending" };

describe("a purchase that an old shop left pending", () => {
  test.each([
    PENDING,
    PENDING_WITH_TIMES,
  ])("a purchase that an old shop left pending does not stop its buyer from buying the tool", async (values) => {
    const { tool, buyer, row, hasPass } = await imported(values, { availableStock: 1 });
    expect(await getOffer(buyer, { tool: tool.slug })).toMatchObject({
      state: "payable",
      heldOption: null,
      previousPassEndedAt: null,
    });
    const { gatewayOrderId, purchaseId } = await startPaidCheckout(buyer, { slug: tool.slug });
    expect(await startPaidCheckout(buyer, { slug: tool.slug })).toMatchObject({ gatewayOrderId });
    expect(await shop.stockOf(tool.id)).toBe(0);
    expect((await listMyPasses(buyer)).pending.map(({ id }) => id)).toEqual([purchaseId]);
    await confirmCheckout(buyer, await shop.payAtGateway(gatewayOrderId));
    expect(await hasPass()).toBe(true);
    expect(await listMyPasses(buyer)).toMatchObject({ active: [{ id: purchaseId }], past: [], pending: [] });
    expect(await row()).toMatchObject({ status: "pending", endedAt: null });
    shop.clock.advance(HOUR);
    expect((await auditLedger(shop.system())).counts).toEqual({});
  });

  test("a purchase that an old shop left pending is on no page as a payment in progress", async () => {
    const { buyer, id, userId } = await imported(PENDING_WITH_TIMES);
    expect(await listMyPasses(buyer)).toEqual({ active: [], past: [], pending: [] });
    const unpaid = { id, status: "not-paid", startsAt: null, accessEndsAt: null, payments: [] };
    expect((await listMyPurchases(buyer, {})).purchases).toMatchObject([unpaid]);
    expect(await refreshCheckoutStatus(buyer, { purchaseId: id })).toMatchObject({ state: "ended" });
    expect(await describeUserDeletion(admin, { userId })).toMatchObject({
      checkouts: 0,
      passes: 0,
    });
    expect(await describeCancellation(admin, { purchaseId: id })).toMatchObject({ state: "hold-released" });
    const { state, entries } = await getPurchaseTimeline(admin, { purchaseId: id });
    expect([state, entries.map(({ kind }) => kind)]).toEqual(["hold-released", ["purchase-created"]]);
  });

  test("a purchase that an old shop left pending is listed for the admin as pending, without an end", async () => {
    const { buyer, id } = await imported(PENDING_WITH_TIMES);
    const pending = { id, status: "pending", accessEndsAt: null, isExpired: false, source: "import" };
    const search = { q: buyer.actor.email };
    expect((await listPurchases(admin, { ...search, status: "pending" })).rows).toMatchObject([pending]);
    expect((await listPurchases(admin, { ...search, status: "completed" })).rows).toEqual([]);
    expect((await listPurchases(admin, { ...search, current: "1" })).rows).toMatchObject([pending]);
  });

  test("a purchase that an old shop left pending counts in no limit of open checkouts", async () => {
    const buyer = await shop.user();
    const { slug } = await shop.tool();
    for (let n = 0; n <= HOLDS_PER_ACCOUNT; n++) {
      const other = await shop.tool();
      await add(buyer, { toolId: other.id, toolName: other.name, ...PENDING });
      // A second one of the same tool: the old shop had no rule about it.
      await add(buyer, { toolId: other.id, toolName: other.name, ...PENDING });
    }
    await expect(startPaidCheckout(buyer, { slug })).resolves.toMatchObject({ kind: "pay" });
  });

  test("a purchase that an old shop left pending holds no unit, no code and no coupon use", async () => {
    const server = { id: "s-1", name: "Server 1", url: null, perBuyer: true as const };
    const { tool, buyer } = await imported({ ...PENDING, couponCode: "OLDCODE" }, { servers: [server] });
    await shop.coupon(tool.id, { code: "OLDCODE" });
    const code = { toolId: tool.id, serverName: "Server 1", simpleCode: uuidv7(), isActive: true };
    await createAccessCode(admin, { ...code, perBuyer: true });
    await inTransaction(shop.db, (tx) => recountStock(admin, tx, tool.id));
    expect(await shop.stockOf(tool.id)).toBe(1);
    expect((await listCoupons(admin, { q: "OLDCODE" })).rows).toMatchObject([{ timesUsed: 0, timesHeld: 0 }]);
    // It is no reservation either: somebody else takes the last unit, and its buyer gets none.
    await startPaidCheckout(await shop.user(), { slug: tool.slug });
    await expect(startCheckout(buyer, { slug: tool.slug })).rejects.toMatchObject({
      code: "tool-out-of-stock",
    });
  });

  test("a pending purchase of an old shop is not changed by its buyer, by the job that ends holds, or by an assigned pass", async () => {
    const { tool, buyer, userId, id, row, hasPass } = await imported(PENDING);
    const before = await row();
    expect(await cancelCheckout(buyer, { purchaseId: id })).toMatchObject({ state: "ended" });
    await expireHolds(shop.system());
    await assignTool(admin, { userId, toolId: tool.id });
    expect(await hasPass()).toBe(true);
    expect(await row()).toEqual(before);
  });

  test("a pending purchase of an old shop ends with its account, and is no checkout that was ended", async () => {
    const { userId, row } = await imported(PENDING);
    await deleteUser(admin, { userId });
    expect(await row()).toMatchObject({ endedReason: "user-deleted", userEmail: "deleted user" });
    const [event] = await shop.auditsOf(userId);
    expect(event?.details).toMatchObject({ checkoutsEnded: 0 });
  });
});

describe("an imported pass", () => {
  test.each([
    "completed",
    "active",
  ] as const)("an imported pass with the status '%s' opens its tool", async (status) => {
    const { buyer, hasPass, userId } = await imported({ status });
    expect(await hasPass()).toBe(true);
    expect((await listPurchases(admin, { q: buyer.actor.email })).rows).toMatchObject([
      { status: "completed", calledStatus: status },
    ]);
    expect(await listUserPurchases(admin, { userId })).toMatchObject([
      { isActive: true, source: "import", status },
    ]);
  });

  test("an imported pass has an order without a payment, also with an amount", async () => {
    const { buyer, id } = await imported({ amountPaise: 49_900, capturedAt: shop.clock.now() });
    expect(await getMyPurchase(buyer, { purchaseId: id })).toMatchObject({
      amountPaise: 49_900,
      source: "import",
      status: "active",
      payments: [],
      refunds: [],
    });
  });

  test("an imported pass is extended, gets another last day, and is cancelled without a refund", async () => {
    const { id, row, hasPass, tool } = await imported({ status: "active" });
    const end = (await row())?.expiresAt ?? new Date(0);
    expect((await extendPurchase(admin, { purchaseId: id, days: 7 })).expiresAt).toEqual(addDays(end, 7));
    await setPurchaseExpiry(admin, { purchaseId: id, date: "28-02-2027" });
    expect((await row())?.expiresAt).toEqual(new Date("2027-02-28T18:29:59.000Z"));
    expect(await describeCancellation(admin, { purchaseId: id })).toMatchObject({
      state: "active",
      refundablePaise: 0,
      source: "import",
    });
    const cancelled = await cancelPurchase(admin, { purchaseId: id, reason: "Asked for it", refund: true });
    expect(cancelled).toEqual({ refundedPaise: 0, byHand: false, alreadyEnded: null });
    expect(await hasPass()).toBe(false);
    expect(await shop.refundsOf(id)).toEqual([]);
    // It took no unit, so none comes back.
    expect(await shop.stockOf(tool.id)).toBe(5);
  });

  test("an imported pass that is deleted is in no list", async () => {
    const { id, buyer, userId, hasPass, row } = await imported({ couponCode: "OLDCODE" });
    await deletePurchase(admin, { purchaseId: id });
    expect(await hasPass()).toBe(false);
    expect((await listPurchases(admin, { q: buyer.actor.email })).rows).toEqual([]);
    expect(await listUserPurchases(admin, { userId })).toEqual([]);
    expect(await listMyPasses(buyer)).toEqual({ active: [], past: [], pending: [] });
    expect((await listMyPurchases(buyer, {})).total).toBe(0);
    expect(await row()).toMatchObject({ endedReason: "deleted" });
  });
});

describe("a superseded purchase", () => {
  /** An old shop's two passes at a time: the longer one runs, the other one is history. */
  async function superseded() {
    const longer = await imported();
    const { tool, buyer } = longer;
    const now = shop.clock.now();
    const id = await add(buyer, {
      toolId: tool.id,
      toolName: tool.name,
      startsAt: addDays(now, -2),
      expiresAt: addDays(now, 5),
      endedAt: now,
      endedReason: "superseded",
    });
    return { ...longer, runningId: longer.id, id };
  }

  test("a superseded purchase is past access that was replaced, and its order says so", async () => {
    const { buyer, id, runningId } = await superseded();
    const { active, past, pending } = await listMyPasses(buyer);
    expect(active.map((pass) => pass.id)).toEqual([runningId]);
    expect(past).toMatchObject([{ id, badge: "Replaced", endedReason: "superseded" }]);
    expect(pending).toEqual([]);
    expect(await getMyPurchase(buyer, { purchaseId: id })).toMatchObject({
      status: "replaced",
      accessEndsAt: addDays(shop.clock.now(), 5),
    });
  });

  test("a superseded purchase is a completed purchase that has ended, for the admin", async () => {
    const { buyer, id, runningId, userId } = await superseded();
    const ids = async (input: Record<string, string>) =>
      (await listPurchases(admin, { q: buyer.actor.email, ...input })).rows.map((row) => row.id).sort();
    expect(await ids({ status: "completed" })).toEqual([id, runningId].sort());
    expect(await ids({ status: "completed", current: "1" })).toEqual([runningId]);
    expect(await ids({ status: "failed" })).toEqual([]);
    expect(await listUserPurchases(admin, { userId })).toMatchObject([
      { id, isActive: false, endedReason: "superseded" },
      { id: runningId, isActive: true },
    ]);
    const { state, entries } = await getPurchaseTimeline(admin, { purchaseId: id });
    expect(state).toBe("revoked");
    expect(entries.at(-1)).toMatchObject({ kind: "purchase-ended", reason: "superseded" });
  });

  test("a superseded purchase is not changed any more, except by its deletion", async () => {
    const { id, row } = await superseded();
    const rowOf = async () => (await shop.db.select().from(userPurchases).where(eq(userPurchases.id, id)))[0];
    const before = await rowOf();
    const input = { purchaseId: id };
    await expect(extendPurchase(admin, { ...input, days: 1 })).rejects.toMatchObject({
      code: "pass-not-changeable",
    });
    expect(await cancelPurchase(admin, { ...input, reason: "Asked for it", refund: false })).toMatchObject({
      alreadyEnded: "ended",
    });
    expect(await rowOf()).toEqual(before);
    await deletePurchase(admin, input);
    expect(await rowOf()).toMatchObject({ endedReason: "deleted" });
    expect(await row()).toMatchObject({ endedReason: null });
  });

  test("a superseded purchase does not make its end the end of the last pass", async () => {
    const { tool, buyer } = await imported({
      startsAt: addDays(shop.clock.now(), -60),
      expiresAt: addDays(shop.clock.now(), -30),
    });
    // The import ended it today; its own time was over long before.
    await add(buyer, {
      toolId: tool.id,
      toolName: tool.name,
      startsAt: addDays(shop.clock.now(), -60),
      expiresAt: addDays(shop.clock.now(), -40),
      endedAt: shop.clock.now(),
      endedReason: "superseded",
    });
    const { previousPassEndedAt } = await getOffer(buyer, { tool: tool.slug });
    expect(previousPassEndedAt).toEqual(addDays(shop.clock.now(), -30));
  });

  test("a superseded purchase disappears with its account", async () => {
    const { id, userId } = await superseded();
    await deleteUser(admin, { userId });
    const { rows } = await listPurchases(admin, { q: id });
    expect(rows).toEqual([]);
  });
});
