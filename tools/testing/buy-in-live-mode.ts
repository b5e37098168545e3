import { findActivePass } from "#core/passes/access.server.ts";
import { settleOrder } from "#core/payments/settle-order.server.ts";
import { forgetFigures } from "#core/reports/figures.server.ts";
import { readDashboardStatistics } from "#core/reports/read-dashboard.server.ts";
import { createModel, type Model, pickByIndex } from "./checkout-model/model.ts";
import type { FakeGatewayShop } from "./fake-gateway-shop.ts";
import { startPaidCheckout } from "./open-test-shop.ts";

/** Buys a pass for ₹149 in live mode. */
export async function buyInLiveMode(shop: FakeGatewayShop, retries: "no-retry" | "retry" = "no-retry") {
  const model = await createModel(
    shop,
    { stocks: [1], coupon: { percent: 20, limit: 1 }, buyers: 1 },
    retries,
  );
  const [buyer, tool] = [pickByIndex(model.buyers, 0), pickByIndex(model.tools, 0)];
  const before = await readRevenue(model);
  const { orderId, purchaseId } = await startPaidCheckout(buyer.ctx, { slug: tool.slug, option: "30 Days" });
  const paymentId = shop.fake.pay(orderId).razorpay_payment_id;
  const settle = () => settleOrder(model.system, { gatewayOrderId: orderId });
  await settle();
  /** Like `settle`, but the gateway's response, which is produced now, arrives only when `arrive` is called. */
  const settleSlowly = async () => {
    shop.fake.faults.add({ match: "order-payments", what: "gate", gate: "slow", after: true, times: 1 });
    const settled = settle();
    await shop.fake.faults.waitFor("order-payments", { until: "processed" });
    const arrive = () => {
      shop.fake.faults.release("slow");
      return settled;
    };
    return { arrive };
  };
  return {
    ...{ model, buyer, tool, orderId, purchaseId, paymentId, settle, settleSlowly },
    /** The revenue since the purchase began, in paise. */
    earned: async () => (await readRevenue(model)) - before,
    hasPass: async () =>
      (await findActivePass(buyer.ctx, shop.db, { userId: buyer.userId, toolId: tool.id })) !== null,
    /** The refunds at the gateway: who made each, its amount in paise and its status. */
    refunds: () =>
      shop.fake
        .paymentsOf(orderId)[0]
        ?.refunds.map(({ amountPaise, by, status }) => [by, amountPaise, status]),
    /** What the gateway has refunded, in paise. */
    refundedPaise: () => shop.fake.paymentsOf(orderId)[0]?.refundedPaise,
  };
}

async function readRevenue({ admin }: Model): Promise<number> {
  forgetFigures(admin);
  return (await readDashboardStatistics(admin)).totalRevenuePaise;
}
