import { eq, inArray, isNull } from "drizzle-orm";
import { paymentAttempts, paymentOrders, refunds, webhookEvents } from "#db/tables/payments.ts";
import { userPurchases } from "#db/tables/purchases.ts";
import type { PaymentFacts } from "../fake-gateway/control.ts";
import { Violation } from "./command.ts";
import { type BoughtFacts, hasCause } from "./refund-causes.ts";
import { count, type Tally } from "./tally.ts";
import type { World } from "./world.ts";

/**
 * Holds the shop's tables against the gateway's books, when everything has settled down: every payment that was collected
 * is known and has one outcome, which the money there bears out, and what the shop has earned is what the gateway has.
 *
 * @param tally counts what became of the payments
 * @throws Violation
 */
export async function checkBooks(world: World, tally: Tally): Promise<void> {
  const { fake } = world.shop;
  const bought = await selectBought(world);
  const known = new Map((await selectPayments(world)).map((row) => [row.paymentId, row]));
  const problems: string[] = [];
  const earned = { ours: 0, theirs: 0 };
  for (const purchase of bought) {
    if (purchase.status === "pending") problems.push("a purchase is still pending");
    if (purchase.orderState === "creating" || purchase.orderState === "open") {
      problems.push("an order is still open");
    }
    const { gone } = world.buyers.find(({ userId }) => userId === purchase.userId) ?? { gone: null };
    if (gone && purchase.startsAt && purchase.startsAt > gone.since) {
      problems.push("a pass began after its buyer's account was gone");
    }
    if (purchase.amountPaise === 0 && purchase.status === "completed") count(tally, "granted");
    const payments = fake.ordersOf(purchase.id).flatMap((orderId) => fake.paymentsOf(orderId));
    for (const payment of payments) {
      const ours = known.get(payment.paymentId);
      known.delete(payment.paymentId);
      const name = nameOf(world, payment);
      problems.push(...compare(payment, ours).map((problem) => `${name}: ${problem}`));
      earned.theirs += theirShare(payment);
      earned.ours += ours ? ourShare(ours) : 0;
      if (payment.captured) count(tally, ours?.reason ?? ours?.outcome ?? "unknown");
      if (payment.capturedBy === "api") count(tally, `captured by the shop: ${ours?.outcome ?? "unknown"}`);
      const isLeft = !payment.captured && ours?.uncapturedReason;
      if (isLeft) count(tally, "left uncaptured");
      const reason = isLeft ? ours.uncapturedReason : ours?.reason;
      if (!reason) continue;
      const others = bought.filter((other) => isAnother(other, purchase));
      const accountGone = world.buyers.some(
        ({ userId, gone }) => userId === purchase.userId && gone !== null,
      );
      if (!hasCause(reason, { payment, payments, purchase, others, accountGone })) {
        problems.push(
          `${name}: ${isLeft ? "was left uncaptured" : "went back"} as ${reason}, which is not so`,
        );
      }
    }
  }
  if (known.size > 0) problems.push(`${known.size} payments are not in the gateway's books`);
  if (earned.ours !== earned.theirs) {
    problems.push(`the shop has earned ${earned.ours}, the gateway holds ${earned.theirs}`);
  }
  const unhandled = await world.shop.db.$count(webhookEvents, isNull(webhookEvents.processedAt));
  if (unhandled > 0) problems.push(`${unhandled} webhooks are not worked off`);
  if (problems.length > 0) throw new Violation(problems.join("; "));
}

type KnownPayment = Awaited<ReturnType<typeof selectPayments>>[number];

function compare(theirs: PaymentFacts, ours: KnownPayment | undefined): string[] {
  if (!theirs.captured) return ours?.status === "captured" ? ["captured here, and not there"] : [];
  if (!ours) return ["collected, and not known to the shop"];
  if (ours.status !== "captured") return [`collected, and ${ours.status} to the shop`];
  const problems: string[] = [];
  if (ours.amountPaise !== theirs.amountPaise) problems.push("its amount is another");
  const wanted = ours.outcome === "refund" ? theirs.amountPaise : ours.refundedPaise;
  if (theirs.refundedPaise !== wanted) {
    problems.push(
      `counts as ${ours.outcome}, and ${theirs.refundedPaise} of ${theirs.amountPaise} went back`,
    );
  }
  if (ours.outcome !== "refund") return problems;
  const done = theirs.refunds.filter(({ status, by }) => status !== "failed" && by === "api");
  if (done.length > 1) problems.push(`went back ${done.length} times by our hand`);
  if (ours.refundStatus !== "processed") problems.push(`its refund is ${ours.refundStatus}`);
  return problems;
}

const theirShare = ({ captured, amountPaise, refundedPaise }: PaymentFacts) =>
  captured ? amountPaise - refundedPaise : 0;

function ourShare({ status, amountPaise, refundStatus, refundedPaise }: KnownPayment): number {
  return status === "captured" && refundStatus !== "processed" ? amountPaise - refundedPaise : 0;
}

function isAnother(other: BoughtFacts, purchase: BoughtFacts): boolean {
  return other.id !== purchase.id && other.userId === purchase.userId && other.toolId === purchase.toolId;
}

function nameOf(world: World, { paymentId }: PaymentFacts): string {
  return world.payments.find((payment) => payment.paymentId === paymentId)?.name ?? "nobody's payment";
}

const ofBuyers = ({ buyers }: World) =>
  inArray(
    userPurchases.userId,
    buyers.map(({ userId }) => userId),
  );

async function selectBought(
  world: World,
): Promise<(BoughtFacts & { startsAt: Date | null; orderState: string | null })[]> {
  const rows = await world.shop.db
    .select({
      id: userPurchases.id,
      userId: userPurchases.userId,
      toolId: userPurchases.toolId,
      status: userPurchases.status,
      amountPaise: userPurchases.amountPaise,
      couponCode: userPurchases.couponCode,
      startsAt: userPurchases.startsAt,
      endedAt: userPurchases.endedAt,
      orderState: paymentOrders.state,
    })
    .from(userPurchases)
    .leftJoin(paymentOrders, eq(paymentOrders.purchaseId, userPurchases.id))
    .where(ofBuyers(world));
  return rows.map(({ endedAt, ...row }) => ({ ...row, ended: endedAt !== null }));
}

function selectPayments(world: World) {
  return world.shop.db
    .select({
      paymentId: paymentAttempts.gatewayPaymentId,
      status: paymentAttempts.status,
      outcome: paymentAttempts.outcome,
      amountPaise: paymentAttempts.amountPaise,
      refundedPaise: paymentAttempts.refundedPaise,
      uncapturedReason: paymentAttempts.uncapturedReason,
      refundStatus: refunds.status,
      reason: refunds.reason,
    })
    .from(paymentAttempts)
    .innerJoin(paymentOrders, eq(paymentOrders.id, paymentAttempts.orderId))
    .innerJoin(userPurchases, eq(userPurchases.id, paymentOrders.purchaseId))
    .leftJoin(refunds, eq(refunds.attemptId, paymentAttempts.id))
    .where(ofBuyers(world));
}
