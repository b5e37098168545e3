import { eq } from "drizzle-orm";
import { uuidv7 } from "uuidv7";
import { afterAll, beforeAll, expect, test } from "vitest";
import { toolPageGrants } from "#db/tables/catalog.ts";
import { auditEvents } from "#db/tables/operations.ts";
import { paymentAttempts, paymentOrders, webhookEvents } from "#db/tables/payments.ts";
import { userPurchases } from "#db/tables/purchases.ts";
import { startPaidCheckout } from "#tests/fixtures/open-test-shop.ts";
import { type SandboxShop, startSandboxShop } from "#tests/fixtures/sandbox-shop.ts";
import { createAccessCode } from "../access-codes/manage-access-codes.server.ts";
import { revealAccessCode } from "../access-codes/reveal-access-code.server.ts";
import { confirmCheckout } from "../checkout/checkout-status.server.ts";
import type { Context } from "../context.ts";
import { cancelPurchase } from "../payments/cancel-purchase.server.ts";
import { processRefunds } from "../payments/process-refunds.server.ts";
import { DAY, HOUR, MINUTE } from "../time.ts";
import { extendPurchase } from "./change-pass-times.server.ts";
import { deletePurchase } from "./end-purchases.server.ts";
import { getPurchaseTimeline } from "./get-purchase-timeline.server.ts";
import { orderTimeline, type TimelineEntry } from "./purchase-timeline.ts";

let shop: SandboxShop;
let admin: Context;
beforeAll(async () => {
  shop = await startSandboxShop();
  admin = await shop.user("admin");
});
afterAll(() => shop.close());

const SECRET = "CODE-OF-SERVER-1";

/** A pass that was paid, with a code of its page that the buyer has seen. */
async function boughtAndOpened() {
  const servers = [{ id: "server-1", name: "Server 1", url: null }];
  const tool = await shop.tool({ servers });
  const simpleCode = `${SECRET}-${tool.slug}`;
  await createAccessCode(admin, { toolId: tool.id, serverName: "Server 1", simpleCode, isActive: true });
  const buyer = await shop.user();
  const { gatewayOrderId, purchaseId } = await startPaidCheckout(buyer, { slug: tool.slug });
  shop.clock.advance(MINUTE);
  const proof = await shop.payAtGateway(gatewayOrderId);
  await confirmCheckout(buyer, proof);
  shop.clock.advance(MINUTE);
  await revealAccessCode(buyer, { page: tool.slug, serverId: "server-1" });
  return { tool, buyer, gatewayOrderId, purchaseId, paymentId: proof.gatewayPaymentId };
}

const timelineOf = (purchaseId: string) => getPurchaseTimeline(admin, { purchaseId });
const kindsOf = async (purchaseId: string) =>
  (await timelineOf(purchaseId)).entries.map((entry) => ("action" in entry ? entry.action : entry.kind));

test("a timeline tells a purchase from the order to the refund, without secrets", async () => {
  const { tool, gatewayOrderId, purchaseId, paymentId, buyer } = await boughtAndOpened();
  await shop.db.insert(webhookEvents).values({
    gateway: "sandbox",
    eventId: uuidv7(),
    type: "payment.captured",
    payload: '{"contact":"RAW-PAYLOAD"}',
    gatewayOrderId,
    gatewayPaymentId: paymentId,
    createdAt: shop.clock.now(),
  });
  shop.clock.advance(HOUR);
  await extendPurchase(admin, { purchaseId, days: 7 });
  shop.clock.advance(HOUR);
  await cancelPurchase(admin, { purchaseId, refund: true, reason: "Asked for it" });
  await processRefunds(shop.system());
  const { entries, purchase, state, leftOut } = await timelineOf(purchaseId);
  expect({ state, leftOut, id: purchase.id, userId: purchase.userId }).toEqual({
    state: "revoked",
    leftOut: 0,
    id: purchaseId,
    userId: buyer.actor.userId,
  });
  const times = entries.map(({ at }) => at.getTime());
  expect(times).toEqual(times.toSorted((a, b) => a - b));
  const of = (kind: string) => entries.filter((entry) => entry.kind === kind);
  expect(of("purchase-created")).toMatchObject([{ toolName: tool.name, amountPaise: 14_900 }]);
  expect(of("pass-started")).toHaveLength(1);
  expect(of("order-created")).toMatchObject([{ gatewayOrderId, state: "settled" }]);
  expect(of("payment-seen")).toMatchObject([{ paymentId }]);
  expect(of("payment-captured")).toMatchObject([{ paymentId, outcome: "refund" }]);
  expect(of("gateway-event")).toMatchObject([{ type: "payment.captured", paymentId, processedAt: null }]);
  expect(of("hand-out")).toMatchObject([
    { action: "access-code.revealed", toolName: tool.name, serverName: "Server 1" },
  ]);
  expect(of("refund-requested")).toMatchObject([{ amountPaise: 14_900, reason: "cancelled-by-shop" }]);
  expect(of("refund-updated")).toMatchObject([{ amountPaise: 14_900, status: "processed" }]);
  expect(of("purchase-ended")).toMatchObject([{ reason: "cancelled" }]);
  expect(entries.flatMap((entry) => (entry.kind === "audit" ? entry.action : []))).toEqual([
    "purchase.extended",
    "purchase.cancelled",
    "refund.requested",
  ]);
  const text = JSON.stringify(entries);
  expect(text).toContain("Asked for it");
  for (const secret of [SECRET, "RAW-PAYLOAD", "holdNetwork"]) expect(text).not.toContain(secret);
});

test("the timeline has the hand-outs of this buyer and this pass, also on a page that the pass opens by a grant", async () => {
  const { tool, buyer, purchaseId } = await boughtAndOpened();
  const other = await shop.tool();
  await shop.db.insert(toolPageGrants).values({ page: other.slug, toolId: tool.id });
  const handOut = async (actorId: string, page: string, action = "access-code.revealed") => {
    const event = { actorKind: "user" as const, actorId, action };
    const rest = { subjectType: "access-code", subjectId: uuidv7(), createdAt: shop.clock.now() };
    await shop.db.insert(auditEvents).values({ ...event, ...rest, details: { page, serverId: "s" } });
  };
  shop.clock.advance(MINUTE);
  await handOut(buyer.actor.userId, other.slug);
  await handOut(buyer.actor.userId, tool.slug, "access-code.redeemed");
  await handOut(buyer.actor.userId, tool.slug, "access-code.reported");
  await handOut(buyer.actor.userId, "another-page");
  await handOut((await shop.user()).actor.userId, tool.slug);
  shop.clock.advance(40 * DAY);
  await handOut(buyer.actor.userId, tool.slug);
  const { entries, state } = await timelineOf(purchaseId);
  const handOuts = entries.flatMap((entry) =>
    entry.kind === "hand-out" ? `${entry.action} ${entry.toolName}, ${entry.serverName}` : [],
  );
  expect(handOuts).toEqual([
    `access-code.revealed ${tool.name}, Server 1`,
    `access-code.revealed ${other.name}, s`,
    `access-code.redeemed ${tool.name}, s`,
  ]);
  expect(state).toBe("expired");
  expect(entries.at(-1)?.kind).toBe("pass-expired");
});

test("the entries of a timeline at the same moment are in the order of cause and effect", async () => {
  const { purchaseId } = await boughtAndOpened();
  const at = shop.clock.now();
  await shop.db
    .update(userPurchases)
    .set({ createdAt: at, startsAt: at })
    .where(eq(userPurchases.id, purchaseId));
  await shop.db.update(paymentOrders).set({ createdAt: at }).where(eq(paymentOrders.purchaseId, purchaseId));
  await shop.db.update(paymentAttempts).set({ createdAt: at, capturedAt: at });
  await cancelPurchase(admin, { purchaseId, refund: true });
  expect(await kindsOf(purchaseId)).toEqual([
    "purchase-created",
    "order-created",
    "payment-seen",
    "payment-captured",
    "pass-started",
    "access-code.revealed",
    "purchase.cancelled",
    "purchase-ended",
    "refund-requested",
    "refund.requested",
  ]);
});

test("a failed payment, a closed checkout and a deleted purchase have their entries", async () => {
  const tool = await shop.tool();
  const buyer = await shop.user();
  const { gatewayOrderId, purchaseId } = await startPaidCheckout(buyer, { slug: tool.slug });
  await shop.failAtGateway(gatewayOrderId);
  const failed = await kindsOf(purchaseId);
  expect(failed).toEqual(expect.arrayContaining(["purchase-created", "order-created"]));
  await deletePurchase(admin, { purchaseId });
  expect(await kindsOf(purchaseId)).toEqual(expect.arrayContaining(["purchase-ended", "purchase.deleted"]));
});

test("a timeline has at most 200 entries, the newest", async () => {
  const { purchaseId } = await boughtAndOpened();
  shop.clock.advance(HOUR);
  const event = { actorKind: "system" as const, action: "payment.part-refunded", subjectType: "purchase" };
  await shop.db.insert(auditEvents).values(
    Array.from({ length: 250 }, (_, n) => ({
      ...event,
      subjectId: purchaseId,
      details: { n },
      createdAt: new Date(shop.clock.now().getTime() + n),
    })),
  );
  const { entries, leftOut } = await timelineOf(purchaseId);
  expect(entries).toHaveLength(200);
  expect(entries.at(-1)).toMatchObject({ kind: "audit", details: { n: 249 } });
  expect(leftOut).toBeGreaterThan(0);
});

test("a timeline is for admins only, and of a purchase that exists", async () => {
  const { purchaseId, buyer, paymentId } = await boughtAndOpened();
  await expect(getPurchaseTimeline(buyer, { purchaseId })).rejects.toMatchObject({ code: "forbidden" });
  await expect(getPurchaseTimeline(shop.visitor(), { purchaseId })).rejects.toMatchObject({
    code: "unauthenticated",
  });
  await expect(timelineOf(uuidv7())).rejects.toMatchObject({ code: "purchase-not-found" });
  await expect(timelineOf("x")).rejects.toMatchObject({ code: "invalid-input" });
  const left = { status: "authorized" as const, outcome: null, uncapturedReason: "out-of-stock" };
  await shop.db.update(paymentAttempts).set(left).where(eq(paymentAttempts.gatewayPaymentId, paymentId));
  expect(await kindsOf(purchaseId)).toContain("payment-left-uncaptured");
});

test("the entries of a timeline in the same second are in the order of cause, whatever clock their times are from", () => {
  const start = new Date("2026-11-22T06:30:00.600Z").getTime();
  const after = (ms: number) => new Date(start + ms);
  const payment = { paymentId: "pay_1", amountPaise: 14_900 };
  const entries: TimelineEntry[] = [
    { at: after(0), kind: "refund-requested", ...payment, reason: "cancelled-by-shop" },
    { at: after(10), kind: "pass-started", expiresAt: after(DAY) },
    {
      at: after(500),
      kind: "payment-captured",
      ...payment,
      buyerFeePaise: 0,
      offerPaise: 0,
      outcome: "refund",
    },
    { at: after(700), kind: "purchase-ended", reason: "cancelled" },
    { at: after(1000), kind: "payment-seen", ...payment, method: null },
  ];
  const expected = ["payment-captured", "pass-started", "purchase-ended", "refund-requested", "payment-seen"];
  for (const given of [entries, entries.toReversed()])
    expect(orderTimeline(given).entries.map(({ kind }) => kind)).toEqual(expected);
});
