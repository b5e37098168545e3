import { eq } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { tools } from "#db/tables/catalog.ts";
import { mailMessages } from "#db/tables/operations.ts";
import { userPurchases } from "#db/tables/purchases.ts";
import { startPaidCheckout } from "#tests/fixtures/open-test-shop.ts";
import { type SandboxShop, startSandboxShop } from "#tests/fixtures/sandbox-shop.ts";
import { deleteUser } from "../accounts/delete-account.server.ts";
import type { AuthorisedContext } from "../authorise.ts";
import { composeMail, readShopFacts } from "../mail/compose-mail.server.ts";
import { listMyAccess, readPageAccess } from "../passes/access.server.ts";
import { extendPurchase, setPurchaseExpiry } from "../passes/change-pass-times.server.ts";
import { deletePurchase } from "../passes/end-purchases.server.ts";
import { getPurchaseTimeline } from "../passes/get-purchase-timeline.server.ts";
import { assignTool } from "../passes/give-pass.server.ts";
import { listMyPasses } from "../passes/list-my-passes.server.ts";
import { listMyPurchases } from "../passes/list-my-purchases.server.ts";
import { listPurchases, listUserPurchases } from "../passes/list-purchases.server.ts";
import { setImportedStatus } from "../passes/set-imported-status.server.ts";
import { cancelPurchase } from "../payments/cancel-purchase.server.ts";
import { settleOrder } from "../payments/settle-order.server.ts";
import { readFigures } from "../reports/figures.server.ts";
import { addDays, DAY, formatDate, formatDateTime, HOUR, MINUTE } from "../time.ts";
import { cancelCheckout } from "./end-checkout.server.ts";
import { getOffer } from "./get-offer.server.ts";
import { startCheckout } from "./start-checkout.server.ts";

let shop: SandboxShop;
let admin: AuthorisedContext;
beforeAll(async () => {
  shop = await startSandboxShop();
  admin = await shop.user("admin");
});
afterAll(() => shop.close());

type Buyer = Awaited<ReturnType<SandboxShop["user"]>>;

async function pay(buyer: Buyer, input: { slug: string; renewal?: boolean; coupon?: string }) {
  const { gatewayOrderId, purchaseId } = await startPaidCheckout(buyer, input);
  await shop.payAtGateway(gatewayOrderId);
  await settleOrder(shop.system(), { gatewayOrderId });
  return purchaseId;
}

async function read(purchaseId: string) {
  const [purchase] = await shop.db.select().from(userPurchases).where(eq(userPurchases.id, purchaseId));
  if (!purchase?.startsAt || !purchase.expiresAt) throw new Error("the purchase is no pass");
  return { ...purchase, startsAt: purchase.startsAt, expiresAt: purchase.expiresAt };
}

/** A buyer with a pass of 30 days that ends in 7 days. */
async function sold(values: Parameters<SandboxShop["tool"]>[0] = {}) {
  const tool = await shop.tool(values);
  const buyer = await shop.user();
  const passId = await pay(buyer, { slug: tool.slug });
  shop.clock.advance(23 * DAY);
  const { expiresAt: end } = await read(passId);
  return { tool, buyer, passId, end, renewal: { slug: tool.slug, renewal: true } };
}

async function renewed() {
  const given = await sold();
  return { ...given, renewalId: await pay(given.buyer, given.renewal) };
}

const timesOf = async (purchaseId: string) => {
  const { startsAt, expiresAt, endedAt } = await read(purchaseId);
  return { startsAt, expiresAt, endedAt };
};

describe("the start of a renewal", () => {
  test("the start of a renewal is refused earlier than 7 days before the end, and at any time without the mark", async () => {
    const { tool, buyer, end, renewal } = await sold();
    shop.clock.advance(-1);
    const from = formatDate(addDays(end, -7), "Asia/Kolkata");
    await expect(startCheckout(buyer, renewal)).rejects.toMatchObject({
      code: "renewal-too-early",
      details: { from },
    });
    expect(await getOffer(buyer, { tool: tool.slug })).toMatchObject({
      canRenew: false,
      renewalSoldOut: false,
      renewableFrom: addDays(end, -7),
      renewedUntil: null,
    });
    shop.clock.advance(1);
    await expect(startCheckout(buyer, { slug: tool.slug })).rejects.toMatchObject({ code: "already-owned" });
    expect(await shop.purchasesOf(buyer)).toHaveLength(1);
    expect(await getOffer(buyer, { tool: tool.slug })).toMatchObject({
      state: "already-owned",
      ownedUntil: end,
      canRenew: true,
      renewalSoldOut: false,
      renewableFrom: null,
      renewedUntil: null,
    });
    const { purchaseId } = await startPaidCheckout(buyer, renewal);
    expect((await shop.purchasesOf(buyer)).find(({ id }) => id === purchaseId)).toMatchObject({
      status: "pending",
      isRenewal: true,
      startsAt: null,
    });
  });

  test("the start of a renewal is refused to a visitor and with another mark than true or false, and changes nothing", async () => {
    const { buyer, renewal } = await sold();
    await expect(startCheckout(shop.visitor(), renewal)).rejects.toMatchObject({ code: "unauthenticated" });
    const input: Record<string, unknown> = { ...renewal, renewal: "yes" };
    await expect(startCheckout(buyer, input)).rejects.toMatchObject({ code: "invalid-input" });
    expect(await shop.purchasesOf(buyer)).toHaveLength(1);
  });

  test("the start of a renewal without a pass is an ordinary purchase, which starts at once", async () => {
    const tool = await shop.tool();
    const buyer = await shop.user();
    const purchaseId = await pay(buyer, { slug: tool.slug, renewal: true });
    expect(await read(purchaseId)).toMatchObject({ isRenewal: false, startsAt: shop.clock.now() });
  });

  test("the start of a renewal from many tabs at the same time makes one purchase and takes one unit", async () => {
    const { tool, buyer, renewal } = await sold({ availableStock: 3 });
    const started = await Promise.all(Array.from({ length: 8 }, () => startPaidCheckout(buyer, renewal)));
    expect(new Set(started.map(({ gatewayOrderId }) => gatewayOrderId)).size).toBe(1);
    expect(await shop.purchasesOf(buyer)).toHaveLength(2);
    expect(await shop.stockOf(tool.id)).toBe(1);
  });

  test("the start of a renewal needs a unit of stock, as every purchase", async () => {
    const { tool, buyer, renewal } = await sold({ availableStock: 1 });
    const offer = () => getOffer(buyer, { tool: tool.slug });
    expect(await offer()).toMatchObject({ canRenew: false, renewalSoldOut: true, renewableFrom: null });
    await expect(startCheckout(buyer, renewal)).rejects.toMatchObject({ code: "tool-out-of-stock" });
    // A renewal that waits for its payment holds a unit.
    await shop.db.update(tools).set({ availableStock: 1 }).where(eq(tools.id, tool.id));
    await startPaidCheckout(buyer, renewal);
    expect(await shop.stockOf(tool.id)).toBe(0);
    expect(await offer()).toMatchObject({ canRenew: true, renewalSoldOut: false });
  });

  test("the renewal of a sold-out tool that is not sold for money has no reason", async () => {
    const { tool, buyer } = await sold({ availableStock: 1 });
    await shop.db.update(tools).set({ contactOnly: true }).where(eq(tools.id, tool.id));
    expect(await getOffer(buyer, { tool: tool.slug })).toMatchObject({
      availableStock: 0,
      canRenew: false,
      renewalSoldOut: false,
    });
  });

  test("the start of a renewal is refused while another renewal waits", async () => {
    const { tool, buyer, renewal, renewalId } = await renewed();
    await expect(startCheckout(buyer, renewal)).rejects.toMatchObject({ code: "renewal-waiting" });
    await expect(startCheckout(buyer, { slug: tool.slug })).rejects.toMatchObject({ code: "already-owned" });
    const { expiresAt } = await read(renewalId);
    const offer = await getOffer(buyer, { tool: tool.slug });
    expect(offer).toMatchObject({
      state: "already-owned",
      canRenew: false,
      renewableFrom: null,
      renewedUntil: expiresAt,
    });
  });
});

describe("a paid renewal", () => {
  test("a paid renewal starts when the pass ends: until then the pass is the active one, and there is no gap between them", async () => {
    const { tool, buyer, passId, end, renewalId } = await renewed();
    const until = addDays(end, 30);
    expect(await timesOf(renewalId)).toEqual({ startsAt: end, expiresAt: until, endedAt: null });
    const ends = async () => {
      const { active, past, pending } = await listMyPasses(buyer);
      const page = await readPageAccess(buyer, shop.db, tool.slug);
      return {
        passes: active.map(({ id, badge, expiresAt, renewedUntil }) => ({
          id,
          badge,
          expiresAt,
          renewedUntil,
        })),
        others: past.length + pending.length,
        page: page.access === "granted" && page.pass?.expiresAt,
        access: (await listMyAccess(buyer)).get(tool.slug),
      };
    };
    const first = { id: passId, badge: "Active", expiresAt: end, renewedUntil: until };
    expect(await ends()).toEqual({ passes: [first], others: 0, page: end, access: end });
    const orders = async () => (await listMyPurchases(buyer, {})).purchases.map(({ status }) => status);
    expect(await orders()).toEqual(["not-started", "active"]);
    shop.clock.advance(7 * DAY - 1);
    expect(await ends()).toEqual({ passes: [first], others: 0, page: end, access: end });
    shop.clock.advance(1);
    const second = { id: renewalId, badge: "Active", expiresAt: until, renewedUntil: null };
    expect(await ends()).toEqual({ passes: [second], others: 1, page: until, access: until });
    expect(await orders()).toEqual(["active", "expired"]);
  });

  test("a paid renewal is not counted among the passes that run before it starts", async () => {
    const { passesRunning } = await renewed().then(async () => {
      shop.clock.advance(MINUTE);
      return { passesRunning: (await readFigures(admin)).running };
    });
    const rows = await shop.db.select().from(userPurchases);
    const now = shop.clock.now();
    const active = rows.filter(
      ({ status, endedAt, startsAt, expiresAt }) =>
        status === "completed" && !endedAt && startsAt && startsAt <= now && expiresAt && expiresAt > now,
    );
    expect(passesRunning).toBe(active.length);
  });

  test("a paid renewal has a receipt that says until when the pass now runs, and entries in its timeline", async () => {
    const { buyer, end, renewalId } = await renewed();
    const [mail] = await shop.db.select().from(mailMessages).where(eq(mailMessages.purchaseId, renewalId));
    if (!mail) throw new Error("there is no receipt");
    const { text } = await composeMail(buyer, mail, await readShopFacts(buyer, shop.db));
    const paidAt = shop.clock.now();
    const wordsOf = (date: Date) => formatDateTime(date, "Asia/Kolkata");
    for (const words of [
      `now runs until ${wordsOf(addDays(end, 30))}`,
      `Renewal starts: ${wordsOf(end)}`,
      `Date: ${wordsOf(paidAt)}`,
    ])
      expect(text).toContain(words);
    const kinds = async () =>
      (await getPurchaseTimeline(admin, { purchaseId: renewalId })).entries.map(({ kind }) => kind);
    expect(await kinds()).toContain("renewal-paid");
    expect(await kinds()).not.toContain("pass-started");
    shop.clock.advance(8 * DAY);
    expect(await kinds()).toContain("pass-started");
  });

  test("a renewal with nothing to pay starts at the end of the pass", async () => {
    const { tool, buyer, end } = await sold();
    const { code } = await shop.coupon(tool.id, { discountPercentage: 100 });
    const started = await startCheckout(buyer, { slug: tool.slug, renewal: true, coupon: code });
    expect(started).toMatchObject({ kind: "nothing-to-pay", startsAt: end, expiresAt: addDays(end, 30) });
  });

  test("a paid renewal can be renewed itself once it runs, in its last days", async () => {
    const { buyer, end, renewal } = await renewed();
    shop.clock.advance(30 * DAY);
    const third = await pay(buyer, renewal);
    expect((await read(third)).startsAt).toEqual(addDays(end, 30));
  });

  test.each([
    ["has expired", async () => void shop.clock.advance(8 * DAY)],
    [
      "was cancelled",
      (passId: string) => cancelPurchase(admin, { purchaseId: passId, refund: true, reason: "Not wanted" }),
    ],
  ])("a paid renewal starts now when the pass %s in the meantime", async (_, end) => {
    const { buyer, passId, renewal } = await sold();
    const { gatewayOrderId, purchaseId } = await startPaidCheckout(buyer, renewal);
    await shop.payAtGateway(gatewayOrderId);
    await end(passId);
    await settleOrder(shop.system(), { gatewayOrderId });
    const now = shop.clock.now();
    expect(await timesOf(purchaseId)).toEqual({
      startsAt: now,
      expiresAt: addDays(now, 30),
      endedAt: null,
    });
  });

  test("only one of two renewals that are paid at the same time becomes a pass; the other payment is refunded", async () => {
    for (let round = 0; round < 4; round++) {
      const { buyer, end, renewal } = await sold();
      const first = await startPaidCheckout(buyer, renewal);
      await cancelCheckout(buyer, { purchaseId: first.purchaseId });
      const second = await startPaidCheckout(buyer, renewal);
      const both = [first, second];
      await Promise.all(both.map(({ gatewayOrderId }) => shop.payAtGateway(gatewayOrderId)));
      const results = await Promise.all(
        [...both, ...both].map(({ gatewayOrderId }) => settleOrder(shop.system(), { gatewayOrderId })),
      );
      expect(new Set(results.map(({ result }) => result))).toEqual(new Set(["pass", "refunded"]));
      const waiting = (await shop.purchasesOf(buyer)).filter(({ startsAt }) => startsAt && startsAt >= end);
      expect(waiting).toMatchObject([{ status: "completed", startsAt: end }]);
      const refunds = await Promise.all(both.map(({ purchaseId }) => shop.refundsOf(purchaseId)));
      expect(refunds.flat()).toMatchObject([{ reason: "already-owned" }]);
    }
  });

  test("a paid renewal follows the end of a pass that an admin extends at the same time", async () => {
    for (let round = 0; round < 4; round++) {
      const { buyer, passId, renewal } = await sold();
      const { gatewayOrderId, purchaseId } = await startPaidCheckout(buyer, renewal);
      await shop.payAtGateway(gatewayOrderId);
      await Promise.all([
        settleOrder(shop.system(), { gatewayOrderId }),
        extendPurchase(admin, { purchaseId: passId, days: 5 }),
      ]);
      expect((await read(purchaseId)).startsAt).toEqual((await read(passId)).expiresAt);
    }
  });
});

test("a payment without the mark is refunded when the buyer got a pass in the meantime", async () => {
  const tool = await shop.tool();
  const buyer = await shop.user();
  const { gatewayOrderId, purchaseId } = await startPaidCheckout(buyer, { slug: tool.slug, renewal: true });
  await assignTool(admin, { userId: buyer.actor.userId, toolId: tool.id });
  shop.clock.advance(25 * DAY);
  await shop.payAtGateway(gatewayOrderId);
  expect(await settleOrder(shop.system(), { gatewayOrderId })).toMatchObject({ result: "refunded" });
  expect(await shop.refundsOf(purchaseId)).toMatchObject([{ reason: "already-owned" }]);
});

describe("the renewal that waits", () => {
  test.each([
    [
      "cancelled",
      (purchaseId: string) => cancelPurchase(admin, { purchaseId, refund: false, reason: "Abuse" }),
    ],
    [
      "refunded",
      (purchaseId: string) => cancelPurchase(admin, { purchaseId, refund: true, reason: "Broken" }),
    ],
    ["deleted", (purchaseId: string) => deletePurchase(admin, { purchaseId })],
  ])("a renewal that waits starts now and keeps its days when the pass is %s", async (_, end) => {
    const { tool, buyer, passId, renewalId } = await renewed();
    await extendPurchase(admin, { purchaseId: renewalId, days: 3 });
    shop.clock.advance(HOUR);
    await end(passId);
    const now = shop.clock.now();
    expect(await timesOf(renewalId)).toEqual({ startsAt: now, expiresAt: addDays(now, 33), endedAt: null });
    expect((await listMyAccess(buyer)).get(tool.slug)).toEqual(addDays(now, 33));
    expect((await shop.auditsOf(renewalId)).map(({ action }) => action)).toContain("purchase.renewal-moved");
  });

  test("a renewal that waits moves with the end of the pass, or to now when the new end has passed, and keeps its days", async () => {
    const { passId, end, renewalId } = await renewed();
    const joined = async () => {
      const [pass, renewal] = [await read(passId), await read(renewalId)];
      expect(renewal.startsAt).toEqual(pass.expiresAt > shop.clock.now() ? pass.expiresAt : shop.clock.now());
      expect(renewal.expiresAt).toEqual(addDays(renewal.startsAt, 30));
      return pass.expiresAt;
    };
    await extendPurchase(admin, { purchaseId: passId, days: 60 });
    expect(await joined()).toEqual(addDays(end, 60));
    const dayOf = (date: Date) => formatDate(date, "Asia/Kolkata").replace(/(..)\/(..)\/(..)/, "$1-$2-20$3");
    await setPurchaseExpiry(admin, { purchaseId: passId, date: dayOf(addDays(end, -2)) });
    await joined();
    await setPurchaseExpiry(admin, { purchaseId: passId, date: dayOf(addDays(shop.clock.now(), -1)) });
    await joined();
  });

  test("a renewal that has begun stays as it is when the end of the pass before it is changed", async () => {
    const { passId, end, renewalId } = await renewed();
    shop.clock.advance(10 * DAY);
    const before = await timesOf(renewalId);
    expect(before.startsAt).toEqual(end);
    const dayOf = (date: Date) => formatDate(date, "Asia/Kolkata").replace(/(..)\/(..)\/(..)/, "$1-$2-20$3");
    await setPurchaseExpiry(admin, { purchaseId: passId, date: dayOf(addDays(end, -2)) });
    expect((await read(passId)).expiresAt < end).toBe(true);
    expect(await timesOf(renewalId)).toEqual(before);
    await expect(extendPurchase(admin, { purchaseId: passId, days: 5 })).rejects.toMatchObject({
      code: "pass-overlap",
    });
    expect(await timesOf(renewalId)).toEqual(before);
  });

  test("a renewal that waits starts now when its imported pass is set to a status that is no pass", async () => {
    const tool = await shop.tool();
    const buyer = await shop.user();
    const end = addDays(shop.clock.now(), 3);
    await shop.pass(buyer, { toolId: tool.id, toolName: tool.name, source: "import", expiresAt: end });
    const [imported] = await shop.purchasesOf(buyer);
    const renewalId = await pay(buyer, { slug: tool.slug, renewal: true });
    expect((await read(renewalId)).startsAt).toEqual(end);
    await setImportedStatus(admin, { purchaseId: imported?.id, status: "failed" });
    const now = shop.clock.now();
    expect(await timesOf(renewalId)).toEqual({ startsAt: now, expiresAt: addDays(now, 30), endedAt: null });
  });

  test("a renewal that waits is shown to an admin with its start, and is not active", async () => {
    const { buyer, end, passId, renewalId } = await renewed();
    const { rows } = await listPurchases(admin, { q: buyer.actor.email });
    expect(rows.map(({ id, waitsUntil }) => ({ id, waitsUntil }))).toEqual([
      { id: renewalId, waitsUntil: end },
      { id: passId, waitsUntil: null },
    ]);
    expect(await listUserPurchases(admin, { userId: buyer.actor.userId })).toMatchObject([
      { id: renewalId, isActive: false, waitsUntil: end },
      { id: passId, isActive: true, waitsUntil: null },
    ]);
  });

  test("a renewal that waits can be cancelled alone: its unit is free again, and the pass stays", async () => {
    const { tool, buyer, passId, end, renewalId } = await renewed();
    const stock = (await shop.stockOf(tool.id)) ?? 0;
    await cancelPurchase(admin, { purchaseId: renewalId, refund: true, reason: "Not wanted" });
    expect(await shop.stockOf(tool.id)).toBe(stock + 1);
    expect(await shop.refundsOf(renewalId)).toHaveLength(1);
    const { active } = await listMyPasses(buyer);
    expect(active).toMatchObject([{ id: passId, expiresAt: end, renewedUntil: null }]);
    const { purchases } = await listMyPurchases(buyer, {});
    expect(purchases[0]).toMatchObject({ id: renewalId, startsAt: null, accessEndsAt: null });
  });

  test("a renewal that waits ends with its pass when the account is deleted", async () => {
    const { buyer, passId, end, renewalId } = await renewed();
    await deleteUser(admin, { userId: buyer.actor.userId });
    for (const id of [passId, renewalId])
      expect(await read(id)).toMatchObject({ endedReason: "user-deleted", endedAt: shop.clock.now() });
    expect((await read(renewalId)).startsAt).toEqual(end);
  });

  test("a renewal that waits keeps an admin from assigning the tool a second time", async () => {
    const { tool, buyer } = await renewed();
    const assigned = assignTool(admin, { userId: buyer.actor.userId, toolId: tool.id });
    await expect(assigned).rejects.toMatchObject({ code: "already-owned" });
  });
});
