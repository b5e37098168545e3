import { eq, inArray, isNull } from "drizzle-orm";
import { gatewayEvents, paymentAttempts, paymentOrders, refunds } from "#db/tables/payments.ts";
import { userPurchases } from "#db/tables/purchases.ts";
import type { PaymentFacts } from "../fake-gateway/control.ts";
import { Violation } from "./command.ts";
import type { World } from "./world.ts";

/** How often something came about, by its name. */
export type Tally = Map<string, number>;

export function count(tally: Tally, name: string, more = 1): void {
  tally.set(name, (tally.get(name) ?? 0) + more);
}

/**
 * Holds the shop's tables against the gateway's books, when everything has settled down: every payment that was collected
 * is known and has one outcome, which the money there bears out, and what the shop has earned is what the gateway has.
 *
 * @param tally counts what became of the payments
 * @throws Violation
 */
export async function checkBooks(world: World, tally: Tally): Promise<void> {
  const { fake } = world.shop;
  const purchases = await readPurchases(world);
  const known = await readPayments(world);
  const problems: string[] = [];
  const sums = { ours: 0, theirs: 0 };
  for (const purchase of purchases) {
    if (purchase.status === "pending") problems.push("a purchase is still pending");
    if (purchase.orderState === "creating" || purchase.orderState === "open")
      problems.push("an order is still open");
    if (purchase.amount === 0 && purchase.status === "completed") count(tally, "granted");
    for (const orderId of fake.ordersOf(purchase.id)) {
      for (const payment of fake.paymentsOf(orderId)) {
        const ours = known.get(payment.paymentId);
        known.delete(payment.paymentId);
        problems.push(...compare(payment, ours).map((problem) => `${problem}: ${nameOf(world, payment)}`));
        if (payment.captured) {
          sums.theirs += payment.amountPaise - payment.refundedPaise;
          count(tally, ours?.reason ?? ours?.outcome ?? "unknown");
        }
        if (ours?.status === "captured")
          sums.ours += ours.amount - (ours.refundStatus === "processed" ? ours.amount : 0);
      }
    }
  }
  if (known.size > 0) problems.push(`${known.size} payments are not in the gateway's books`);
  if (sums.ours !== sums.theirs)
    problems.push(`the shop has earned ${sums.ours}, the gateway holds ${sums.theirs}`);
  const unhandled = await countUnhandled(world);
  if (unhandled > 0) problems.push(`${unhandled} webhooks are not worked off`);
  if (problems.length > 0) throw new Violation(problems.join("; "));
}

type KnownPayment = Awaited<ReturnType<typeof selectPayments>>[number];

function compare(theirs: PaymentFacts, ours: KnownPayment | undefined): string[] {
  if (!theirs.captured) return ours?.status === "captured" ? ["captured here, and not there"] : [];
  if (!ours) return ["collected, and not known to the shop"];
  if (ours.status !== "captured") return [`collected, and ${ours.status} to the shop`];
  const problems: string[] = [];
  if (ours.amount !== theirs.amountPaise) problems.push("its amount is another");
  const wanted = ours.outcome === "refund" ? theirs.amountPaise : 0;
  if (theirs.refundedPaise !== wanted) {
    problems.push(`counts as ${ours.outcome}, and ${theirs.refundedPaise} of ${theirs.amountPaise} went back`);
  }
  const done = theirs.refunds.filter(({ status }) => status !== "failed");
  if (ours.outcome === "refund" && done.length !== 1) problems.push(`went back ${done.length} times`);
  if (ours.outcome === "refund" && ours.refundStatus !== "processed") {
    problems.push(`its refund is ${ours.refundStatus}`);
  }
  return problems;
}

function nameOf(world: World, { paymentId }: PaymentFacts): string {
  return world.payments.find((payment) => payment.paymentId === paymentId)?.name ?? "nobody's payment";
}

function readPurchases({ shop, buyers }: World) {
  return shop.db
    .select({
      id: userPurchases.id,
      status: userPurchases.status,
      amount: userPurchases.amount,
      orderState: paymentOrders.state,
    })
    .from(userPurchases)
    .leftJoin(paymentOrders, eq(paymentOrders.purchaseId, userPurchases.id))
    .where(
      inArray(
        userPurchases.userId,
        buyers.map(({ userId }) => userId),
      ),
    );
}

async function readPayments(world: World): Promise<Map<string, KnownPayment>> {
  const rows = await selectPayments(world);
  return new Map(rows.map((row) => [row.paymentId, row]));
}

function selectPayments({ shop, buyers }: World) {
  return shop.db
    .select({
      paymentId: paymentAttempts.gatewayPaymentId,
      status: paymentAttempts.status,
      outcome: paymentAttempts.outcome,
      amount: paymentAttempts.amount,
      refundStatus: refunds.status,
      reason: refunds.reason,
    })
    .from(paymentAttempts)
    .innerJoin(paymentOrders, eq(paymentOrders.id, paymentAttempts.orderId))
    .innerJoin(userPurchases, eq(userPurchases.id, paymentOrders.purchaseId))
    .leftJoin(refunds, eq(refunds.attemptId, paymentAttempts.id))
    .where(
      inArray(
        userPurchases.userId,
        buyers.map(({ userId }) => userId),
      ),
    );
}

async function countUnhandled({ shop }: World): Promise<number> {
  return shop.db.$count(gatewayEvents, isNull(gatewayEvents.handledAt));
}
