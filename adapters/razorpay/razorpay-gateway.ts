import {
  GatewayError,
  type GatewayOrder,
  type GatewayPayment,
  type PaymentGateway,
} from "#core/checkout/payment-gateway.ts";
import { type ApiClientOptions, createApiClient, pathId } from "./api-client.ts";
import { isCheckoutSignature, isWebhookSignature } from "./signatures.ts";
import { readWebhookEvent } from "./webhook-event.ts";
import { type WireOrder, type WirePayment, wireList, wireOrder, wirePayment, wireRefund } from "./wire.ts";

export interface RazorpayGatewayOptions extends ApiClientOptions {
  /** All that may have signed a webhook: two while one replaces the other. */
  webhookSecrets: readonly string[];
  /** Where the buyer's browser loads the checkout from; a path of our own for the sandbox. */
  checkoutScriptUrl: string;
  /** "sandbox" when the address is our own gateway for trying the shop. */
  name: "razorpay" | "sandbox";
}

/** A payment provider that speaks Razorpay's REST protocol: Razorpay itself, or our sandbox. */
export function createRazorpayGateway(options: RazorpayGatewayOptions): PaymentGateway {
  const call = createApiClient(options);
  const fetchPayment = async (paymentId: string) =>
    toPayment(await call(wirePayment, { method: "GET", path: `payments/${pathId(paymentId)}` }));

  return {
    name: options.name,
    testMode: options.name === "sandbox" || options.keyId.startsWith("rzp_test_"),
    checkout: { keyId: options.keyId, scriptUrl: options.checkoutScriptUrl },

    async createOrder({ receipt, amountPaise, currency }) {
      const body = { amount: amountPaise, currency, receipt, payment_capture: true };
      return toOrder(await call(wireOrder, { method: "POST", path: "orders", body }), receipt);
    },

    async findOrderByReceipt(receipt) {
      const request = { method: "GET", path: "orders", query: { receipt } } as const;
      const { items } = await call(wireList(wireOrder), request);
      // Razorpay does not keep receipts unique by itself; the first order made for one is the one that counts.
      const orders = items.filter((order) => order.receipt === receipt);
      const first = orders.toSorted((a, b) => a.created_at - b.created_at)[0];
      return first ? toOrder(first, receipt) : null;
    },

    async fetchOrderPayments(orderId) {
      const path = `orders/${pathId(orderId)}/payments`;
      const { items } = await call(wireList(wirePayment), { method: "GET", path });
      return items.map(toPayment);
    },

    async capturePayment({ paymentId, amountPaise, currency }) {
      const path = `payments/${pathId(paymentId)}/capture`;
      const body = { amount: amountPaise, currency };
      try {
        return toPayment(await call(wirePayment, { method: "POST", path, body }));
      } catch (error) {
        if (!(error instanceof GatewayError) || error.httpStatus !== 400) throw error;
        // Captured meanwhile, by itself or by another process, is refused like any bad request.
        const payment = await fetchPayment(paymentId);
        if (payment.status === "captured" || payment.status === "refunded") return payment;
        throw error;
      }
    },

    async refund({ paymentId, amountPaise, idempotencyKey }) {
      const path = `payments/${pathId(paymentId)}/refund`;
      const body = { amount: amountPaise };
      const refund = await call(wireRefund, { method: "POST", path, body, refundKey: idempotencyKey });
      return {
        refundId: refund.id,
        paymentId: refund.payment_id,
        amountPaise: refund.amount,
        status: refund.status,
      };
    },

    verifyCheckout: (input) => isCheckoutSignature(input, options.keySecret),

    parseWebhook({ rawBody, signature, eventId }) {
      if (!isWebhookSignature(rawBody, signature, options.webhookSecrets)) return null;
      return readWebhookEvent(rawBody, eventId);
    },
  };
}

function toOrder(order: WireOrder, receipt: string): GatewayOrder {
  return { orderId: order.id, receipt, amountPaise: order.amount, currency: order.currency };
}

function toPayment(payment: WirePayment): GatewayPayment {
  return {
    paymentId: payment.id,
    orderId: payment.order_id,
    status: payment.status === "refunded" && payment.captured === false ? "failed" : payment.status,
    amountPaise: payment.amount,
    currency: payment.currency,
    method: payment.method ?? null,
    errorDescription: payment.error_description ?? null,
  };
}
