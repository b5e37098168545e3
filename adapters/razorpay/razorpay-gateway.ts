import {
  GatewayError,
  type GatewayOrder,
  type GatewayPayment,
  type GatewayRefund,
  type PaymentGateway,
} from "#core/payments/payment-gateway.ts";
import { type ApiCall, type ApiClientOptions, createApiClient, pathId } from "./api-client.ts";
import {
  type WireOrder,
  type WirePayment,
  type WireRefund,
  wireList,
  wireOrder,
  wirePayment,
  wireRefund,
} from "./api-schemas.ts";
import { isCheckoutSignature, isWebhookSignature } from "./signatures.ts";
import { readWebhookEvent } from "./webhook-event.ts";

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
  const startCall = createApiClient(options);

  return {
    name: options.name,
    testMode: options.name === "sandbox" || options.keyId.startsWith("rzp_test_"),
    checkout: { keyId: options.keyId, scriptUrl: options.checkoutScriptUrl },

    async createOrder({ receipt, amountPaise, currency }) {
      const call = startCall();
      const body = { amount: amountPaise, currency, receipt, payment_capture: true };
      // Another order for the receipt would do no harm, as nobody would see it; but there need be none.
      const lookFirst = async () => {
        const orders = await ordersOf(call, receipt);
        return orders.find((order) => order.amount === amountPaise && order.currency === currency) ?? null;
      };
      return toOrder(await call(wireOrder, { method: "POST", path: "orders", body, lookFirst }), receipt);
    },

    async findOrderByReceipt(receipt) {
      const [first] = await ordersOf(startCall(), receipt);
      return first ? toOrder(first, receipt) : null;
    },

    async fetchOrderPayments(orderId) {
      const path = `orders/${pathId(orderId)}/payments`;
      const { items } = await startCall()(wireList(wirePayment), { method: "GET", path });
      return items.map(toPayment);
    },

    async capturePayment({ paymentId, amountPaise, currency }) {
      const call = startCall();
      const path = `payments/${pathId(paymentId)}`;
      const body = { amount: amountPaise, currency };
      try {
        return toPayment(await call(wirePayment, { method: "POST", path: `${path}/capture`, body }));
      } catch (error) {
        if (!(error instanceof GatewayError) || error.httpStatus !== 400) throw error;
        // Captured meanwhile, by an earlier try, by itself or by another process, is refused like any bad request.
        const payment = toPayment(await call(wirePayment, { method: "GET", path }));
        if (payment.status === "captured" || payment.status === "refunded") return payment;
        throw error;
      }
    },

    async refund({ paymentId, amountPaise, idempotencyKey }) {
      const path = `payments/${pathId(paymentId)}/refund`;
      const body = { amount: amountPaise };
      const request = { method: "POST", path, body, refundKey: idempotencyKey } as const;
      return toRefund(await startCall()(wireRefund, request));
    },

    async fetchRefund({ refundId }) {
      const path = `refunds/${pathId(refundId)}`;
      try {
        return toRefund(await startCall()(wireRefund, { method: "GET", path }));
      } catch (error) {
        if (!(error instanceof GatewayError) || error.httpStatus !== 404) throw error;
        throw new GatewayError(error.message, { retryable: false, httpStatus: 404, cause: error });
      }
    },

    verifyCheckout: (input) => isCheckoutSignature(input, options.keySecret),

    parseWebhook({ rawBody, signature, eventId }) {
      if (!isWebhookSignature(rawBody, signature, options.webhookSecrets)) return null;
      return readWebhookEvent(rawBody, eventId);
    },
  };
}

/** Razorpay does not keep receipts unique by itself; the first order made for one is the one that counts. */
async function ordersOf(call: ApiCall, receipt: string): Promise<WireOrder[]> {
  const { items } = await call(wireList(wireOrder), { method: "GET", path: "orders", query: { receipt } });
  return items
    .filter((order) => order.receipt === receipt)
    .toSorted((one, other) => one.created_at - other.created_at);
}

function toOrder(order: WireOrder, receipt: string): GatewayOrder {
  return { orderId: order.id, receipt, amountPaise: order.amount, currency: order.currency };
}

function toPayment(payment: WirePayment): GatewayPayment {
  // What was never ours did not go back either.
  const letGo = payment.status === "refunded" && payment.captured === false;
  const unsaid = payment.status === "refunded" ? payment.amount : null;
  const refundedPaise = letGo ? 0 : (payment.amount_refunded ?? unsaid);
  const allBack = payment.status === "captured" && (refundedPaise ?? 0) >= payment.amount;
  return {
    paymentId: payment.id,
    orderId: payment.order_id,
    status: letGo ? "failed" : allBack ? "refunded" : payment.status,
    amountPaise: payment.amount,
    currency: payment.currency,
    refundedPaise,
    method: payment.method ?? null,
    errorDescription: payment.error_description ?? null,
  };
}

function toRefund(refund: WireRefund): GatewayRefund {
  return {
    refundId: refund.id,
    paymentId: refund.payment_id,
    amountPaise: refund.amount,
    status: refund.status,
  };
}
