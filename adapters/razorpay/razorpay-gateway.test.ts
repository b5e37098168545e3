import { createServer, type IncomingMessage, type Server } from "node:http";
import { afterEach, describe, expect, test } from "vitest";
import { GatewayError } from "#core/payments/payment-gateway.ts";
import { createRazorpayGateway } from "./razorpay-gateway.ts";
import { signWebhook } from "./signatures.ts";

const KEY_SECRET = "key-secret-nobody-may-see";
const ORDER = {
  id: "order_1",
  entity: "order",
  amount: 14_900,
  currency: "INR",
  receipt: "r-1",
  created_at: 2,
};
const PAYMENT = {
  id: "pay_1",
  order_id: "order_1",
  amount: 14_900,
  currency: "INR",
  status: "captured",
  method: "upi",
  error_description: null,
};
const REFUND = { id: "rfnd_1", payment_id: "pay_1", amount: 14_900, status: "processed" };
const DECLINED = {
  error: { code: "BAD_REQUEST_ERROR", description: "The amount must be at least INR 1.00" },
};

interface Seen {
  line: string;
  headers: IncomingMessage["headers"];
  body: string;
}
type Answer = { status: number; body: unknown } | "never" | "disconnect";

let server: Server | undefined;
afterEach(() => {
  server?.closeAllConnections();
  server?.close();
});

/** A gateway that gives these answers one after the other and repeats the last one, with a client for it. */
async function scripted(answers: Answer[], times: { timeoutMs?: number; budgetMs?: number } = {}) {
  const seen: Seen[] = [];
  server = createServer(async (request, response) => {
    let body = "";
    for await (const chunk of request) body += chunk;
    const answer = answers[Math.min(seen.length, answers.length - 1)];
    seen.push({ line: `${request.method} ${request.url}`, headers: request.headers, body });
    if (answer === undefined || answer === "never") return;
    if (answer === "disconnect") return void request.socket.destroy();
    response.writeHead(answer.status, { "content-type": "application/json" });
    response.end(typeof answer.body === "string" ? answer.body : JSON.stringify(answer.body));
  });
  const listening = server;
  await new Promise<void>((resolve) => listening.listen(0, "127.0.0.1", resolve));
  const address = listening.address();
  const port = typeof address === "object" && address ? address.port : 0;
  const gateway = createRazorpayGateway({
    apiUrl: `http://127.0.0.1:${port}/`,
    keyId: "rzp_test_key",
    keySecret: KEY_SECRET,
    webhookSecrets: ["hook"],
    checkoutScriptUrl: "https://gateway.example/checkout.js",
    name: "razorpay",
    ...times,
  });
  return { gateway, seen };
}

const newOrder = { receipt: "r-1", amountPaise: 14_900, currency: "INR" };
const refund = { gatewayPaymentId: "pay_1", amountPaise: 14_900, idempotencyKey: "refund-0001" };
const failure = (promise: Promise<unknown>) =>
  promise.then(
    () => "no failure",
    (error: unknown) => error,
  );

test("a new order is requested with automatic capture and Basic auth", async () => {
  const { gateway, seen } = await scripted([{ status: 200, body: ORDER }]);
  const order = await gateway.createOrder(newOrder);
  expect(order).toEqual({
    gatewayOrderId: "order_1",
    receipt: "r-1",
    amountPaise: 14_900,
    currency: "INR",
  });
  expect(seen[0]?.line).toBe("POST /v1/orders");
  expect(JSON.parse(seen[0]?.body ?? "")).toEqual({
    amount: 14_900,
    currency: "INR",
    receipt: "r-1",
    payment_capture: true,
  });
  const auth = `Basic ${Buffer.from(`rzp_test_key:${KEY_SECRET}`).toString("base64")}`;
  expect(seen[0]?.headers.authorization).toBe(auth);
});

test("an order is found as the first one with exactly its receipt", async () => {
  const items = [{ ...ORDER, receipt: "r-1x" }, { ...ORDER, id: "order_later", created_at: 9 }, ORDER];
  const { gateway, seen } = await scripted([{ status: 200, body: { items } }]);
  expect((await gateway.findOrderByReceipt("r-1"))?.gatewayOrderId).toBe("order_1");
  expect(seen[0]?.line).toBe("GET /v1/orders?receipt=r-1");
});

test("a refund is requested with its idempotency key", async () => {
  const { gateway, seen } = await scripted([{ status: 200, body: REFUND }]);
  expect(await gateway.refund(refund)).toEqual({
    gatewayRefundId: "rfnd_1",
    gatewayPaymentId: "pay_1",
    amountPaise: 14_900,
    status: "processed",
  });
  expect(seen[0]?.line).toBe("POST /v1/payments/pay_1/refund");
  expect(seen[0]?.headers["x-refund-idempotency"]).toBe("refund-0001");
});

test("no request is sent for an id that could change the path", async () => {
  const { gateway, seen } = await scripted([{ status: 200, body: PAYMENT }]);
  for (const id of ["..", "../orders", "pay_1/refund", "pay_1?x", ""]) {
    await expect(gateway.fetchOrderPayments(id)).rejects.toThrow(GatewayError);
  }
  expect(seen).toEqual([]);
});

test("a read at the gateway is repeated until it is answered", async () => {
  const { gateway, seen } = await scripted([
    { status: 502, body: "<html>" },
    "disconnect",
    { status: 200, body: { items: [PAYMENT] } },
  ]);
  expect(await gateway.fetchOrderPayments("order_1")).toHaveLength(1);
  expect(seen).toHaveLength(3);
});

test("a refund is repeated with the same idempotency key", async () => {
  const { gateway, seen } = await scripted([
    { status: 409, body: DECLINED },
    { status: 200, body: REFUND },
  ]);
  expect((await gateway.refund(refund)).gatewayRefundId).toBe("rfnd_1");
  expect(seen.map((one) => one.headers["x-refund-idempotency"])).toEqual(["refund-0001", "refund-0001"]);
});

test("a new order is requested again only after a search for it", async () => {
  const { gateway, seen } = await scripted([
    { status: 503, body: "" },
    { status: 200, body: { items: [{ ...ORDER, receipt: "r-1x" }] } },
    "disconnect",
    { status: 200, body: { items: [{ ...ORDER, amount: 9_900 }, ORDER] } },
  ]);
  expect((await gateway.createOrder(newOrder)).gatewayOrderId).toBe("order_1");
  expect(seen.map((one) => one.line)).toEqual([
    "POST /v1/orders",
    "GET /v1/orders?receipt=r-1",
    "POST /v1/orders",
    "GET /v1/orders?receipt=r-1",
  ]);
});

test("a request that fails is sent three times at most", async () => {
  const { gateway, seen } = await scripted([{ status: 500, body: "" }]);
  expect(await failure(gateway.findOrderByReceipt("r-1"))).toMatchObject({
    retryable: true,
    httpStatus: 500,
  });
  expect(seen).toHaveLength(3);
});

test("a refused request is not repeated and not retryable", async () => {
  const { gateway, seen } = await scripted([{ status: 400, body: DECLINED }]);
  expect(await failure(gateway.refund(refund))).toMatchObject({ retryable: false, httpStatus: 400 });
  expect(seen).toHaveLength(1);
});

test("a request with wrong keys is not repeated, and its error is retryable", async () => {
  const { gateway, seen } = await scripted([{ status: 401, body: DECLINED }]);
  expect(await failure(gateway.refund(refund))).toMatchObject({ retryable: true, httpStatus: 401 });
  expect(seen).toHaveLength(1);
});

test("a timeout of the gateway is a retryable error that names the time", async () => {
  const { gateway } = await scripted(["never"], { timeoutMs: 60 });
  const error = await failure(gateway.refund(refund));
  expect(error).toMatchObject({ name: "GatewayError", retryable: true, httpStatus: null });
  expect(String(error)).toContain("not answered within 60 ms");
});

test("an unreadable response of the gateway is a retryable error", async () => {
  const { gateway } = await scripted([{ status: 200, body: "<html>" }]);
  expect(await failure(gateway.refund(refund))).toMatchObject({ retryable: true });
});

test("an error of the gateway contains the reason and no secret", async () => {
  const { gateway } = await scripted([{ status: 400, body: DECLINED }]);
  const error = await failure(gateway.createOrder(newOrder));
  expect(String(error)).toContain("The amount must be at least INR 1.00");
  const basic = Buffer.from(`rzp_test_key:${KEY_SECRET}`).toString("base64");
  const all = `${String(error)} ${JSON.stringify(error)} ${error instanceof Error ? String(error.cause) : ""}`;
  expect(all).not.toContain(KEY_SECRET);
  expect(all).not.toContain(basic);
});

describe("capture", () => {
  const input = { gatewayPaymentId: "pay_1", amountPaise: 14_900, currency: "INR" };

  test("a capture is repeated when its response was lost", async () => {
    const { gateway, seen } = await scripted(["disconnect", { status: 200, body: PAYMENT }]);
    expect(await gateway.capturePayment(input)).toMatchObject({
      gatewayPaymentId: "pay_1",
      status: "captured",
    });
    expect(seen.map((one) => one.line)).toEqual([
      "POST /v1/payments/pay_1/capture",
      "POST /v1/payments/pay_1/capture",
    ]);
  });

  test("a capture of a captured payment returns that payment", async () => {
    const { gateway, seen } = await scripted([
      { status: 400, body: { error: { code: "BAD_REQUEST_ERROR", description: "already been captured" } } },
      { status: 200, body: PAYMENT },
    ]);
    expect(await gateway.capturePayment(input)).toMatchObject({
      gatewayPaymentId: "pay_1",
      status: "captured",
    });
    expect(seen.map((one) => one.line)).toEqual([
      "POST /v1/payments/pay_1/capture",
      "GET /v1/payments/pay_1",
    ]);
  });

  test("a capture that the gateway refuses fails with that refusal", async () => {
    const { gateway } = await scripted([
      { status: 400, body: DECLINED },
      { status: 200, body: { ...PAYMENT, status: "failed" } },
    ]);
    expect(await failure(gateway.capturePayment(input))).toMatchObject({ retryable: false, httpStatus: 400 });
  });
});

describe("the refunded amount of a payment", () => {
  const read = async (changes: object) => {
    const { gateway } = await scripted([{ status: 200, body: { items: [{ ...PAYMENT, ...changes }] } }]);
    return (await gateway.fetchOrderPayments("order_1"))[0];
  };

  test("the refunded amount is a part of the payment, all or nothing of it", async () => {
    expect(await read({ amount_refunded: 4_900 })).toMatchObject({
      status: "captured",
      refundedPaise: 4_900,
    });
    const all = { status: "refunded", captured: true, amount_refunded: 14_900 };
    expect(await read(all)).toMatchObject({ status: "refunded", refundedPaise: 14_900 });
    expect(await read({ amount_refunded: 0 })).toMatchObject({ status: "captured", refundedPaise: 0 });
  });

  test.each([
    {},
    { amount_refunded: null },
    { amount_refunded: -5 },
    { amount_refunded: "49" },
  ])("the refunded amount is unknown when it is missing or invalid: %o", async (facts) => {
    expect(await read(facts)).toMatchObject({ status: "captured", refundedPaise: null });
    expect(await read({ ...facts, status: "refunded", captured: true })).toMatchObject({
      refundedPaise: 14_900,
    });
  });

  test("a captured payment counts as refunded when its refunded amount is the whole amount", async () => {
    expect(await read({ amount_refunded: 14_900 })).toMatchObject({ status: "refunded" });
  });

  test("an authorised payment that was left uncaptured counts as failed with nothing refunded", async () => {
    const leftUncaptured = { status: "refunded", captured: false, amount_refunded: 14_900 };
    expect(await read(leftUncaptured)).toMatchObject({ status: "failed", refundedPaise: 0 });
  });
});

test("a refund is fetched by its id", async () => {
  const { gateway, seen } = await scripted([{ status: 200, body: { ...REFUND, status: "failed" } }]);
  const known = {
    gatewayRefundId: "rfnd_1",
    gatewayPaymentId: "pay_1",
    amountPaise: 14_900,
    status: "failed",
  };
  expect(await gateway.fetchRefund({ gatewayRefundId: "rfnd_1" })).toEqual(known);
  expect(seen[0]?.line).toBe("GET /v1/refunds/rfnd_1");
});

test.each([
  400, 404,
])("a refund that is answered %i fails with an error that is not retryable", async (status) => {
  const { gateway, seen } = await scripted([{ status, body: DECLINED }]);
  const error = await failure(gateway.fetchRefund({ gatewayRefundId: "rfnd_1" }));
  expect(error).toMatchObject({ name: "GatewayError", retryable: false, httpStatus: status });
  expect(seen).toHaveLength(1);
});

test("a payment with an unknown status does not count as captured", async () => {
  const { gateway } = await scripted([{ status: 200, body: { items: [{ ...PAYMENT, status: "pending" }] } }]);
  expect((await gateway.fetchOrderPayments("order_1"))[0]?.status).toBe("created");
});

test("a webhook is parsed only when its signature is right", async () => {
  const { gateway } = await scripted([]);
  const rawBody = JSON.stringify({
    entity: "event",
    event: "order.paid",
    payload: { order: { entity: ORDER } },
  });
  const signature = signWebhook(rawBody, "hook");
  expect(gateway.parseWebhook({ rawBody, signature, eventId: "evt_1" })?.gatewayOrderId).toBe("order_1");
  const tampered = rawBody.replace("order_1", "order_2");
  expect(gateway.parseWebhook({ rawBody: tampered, signature, eventId: "evt_1" })).toBeNull();
  expect(gateway.parseWebhook({ rawBody, signature: "", eventId: "evt_1" })).toBeNull();
});

test("test mode follows from the key, and is always on for the sandbox", async () => {
  const { gateway } = await scripted([]);
  expect(gateway.testMode).toBe(true);
  const live = { apiUrl: "http://127.0.0.1", keyId: "rzp_live_1", keySecret: "s", webhookSecrets: [] };
  const make = (name: "razorpay" | "sandbox") =>
    createRazorpayGateway({ ...live, name, checkoutScriptUrl: "/checkout.js" }).testMode;
  expect([make("razorpay"), make("sandbox")]).toEqual([false, true]);
});
