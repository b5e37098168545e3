import { randomUUID } from "node:crypto";
import { createContext, Script } from "node:vm";
import { and, eq, inArray } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { sandboxPayments, sandboxWebhooks } from "#db/tables/sandbox.ts";
import { freshDatabase } from "#tests/database/database.ts";
import { startLoopbackShop } from "#tests/fixtures/loopback-shop.ts";
import { SANDBOX_KEYS } from "#tests/fixtures/sandbox-server.ts";

let database: Awaited<ReturnType<typeof freshDatabase>>;
let shop: Awaited<ReturnType<typeof startLoopbackShop>>;
beforeAll(async () => {
  database = await freshDatabase();
  shop = await startLoopbackShop(database.url);
});
afterAll(async () => {
  await shop.stop();
  await database.drop();
});

const paid = z.object({
  razorpay_payment_id: z.string(),
  razorpay_order_id: z.string(),
  razorpay_signature: z.string(),
});
const orderOf = async (amountPaise = 14_990_000) =>
  (await shop.gateway.createOrder({ receipt: randomUUID(), amountPaise, currency: "INR" })).gatewayOrderId;
const page = (gatewayOrderId: string, key = SANDBOX_KEYS.keyId) =>
  fetch(`${shop.base}/sandbox-gateway/checkout?order_id=${encodeURIComponent(gatewayOrderId)}&key=${key}`);
const verified = (answer: z.output<typeof paid>, gatewayOrderId: string) =>
  shop.gateway.verifyCheckout({
    gatewayOrderId,
    gatewayPaymentId: answer.razorpay_payment_id,
    signature: answer.razorpay_signature,
  });

async function eventsOf(gatewayOrderId: string): Promise<string[]> {
  const rows = await shop.db.select().from(sandboxWebhooks);
  return rows
    .filter((row) => row.body.includes(gatewayOrderId))
    .map((row) => row.event)
    .sort();
}

test("the checkout page shows a test payment of its order with its choices", async () => {
  const gatewayOrderId = await orderOf();
  const response = await page(gatewayOrderId);
  const html = await response.text();
  expect(response.status).toBe(200);
  expect(html).toContain("Test payment");
  expect(html).toContain("₹1,49,900");
  expect(html).toContain(gatewayOrderId);
  const names = [...html.matchAll(/<button[^>]*>([^<]*)<\/button>/g)].map((match) => match[1]);
  expect(names).toEqual([
    ...["Pay", "Fail", "Close"],
    ...["₹1,53,437.64 with the fee", "₹1,34,910 with an offer"],
    ...["Pay, then dispute", "Pay, and lose it"],
  ]);
});

test("the checkout page may be framed only by its own origin and runs only its own scripts", async () => {
  const { headers } = await page(await orderOf());
  const policy = headers.get("content-security-policy") ?? "";
  expect(policy).toContain("frame-ancestors 'self'");
  expect(policy).toContain("script-src 'self'");
  expect(policy).not.toContain("unsafe");
  expect(headers.get("x-frame-options")).toBe("SAMEORIGIN");
  expect(headers.get("cache-control")).toBe("no-store");
});

test("the checkout page refuses an unknown order and another key without repeating its input", async () => {
  const refused = await page('<script>alert("x")</script>');
  expect(refused.status).toBe(400);
  expect(await refused.text()).not.toContain("alert");
  expect((await page(await orderOf(), "rzp_live_other")).status).toBe(400);
});

test.each([
  ["checkout.js", "text/javascript; charset=utf-8"],
  ["checkout-page.js", "text/javascript; charset=utf-8"],
  ["checkout.css", "text/css; charset=utf-8"],
])("the file %s of the checkout page may be cached by browsers", async (name, type) => {
  const address = `${shop.base}/sandbox-gateway/${name}`;
  const response = await fetch(address);
  expect(response.headers.get("content-type")).toBe(type);
  expect(response.headers.get("cache-control")).toBe("public, max-age=300");
  expect((await response.text()).length).toBeGreaterThan(200);
  const etag = response.headers.get("etag") ?? "";
  expect((await fetch(address, { headers: { "if-none-match": etag } })).status).toBe(304);
});

describe("the scripts of the sandbox checkout", () => {
  const script = async (name: string) =>
    new Script(await (await fetch(`${shop.base}/sandbox-gateway/${name}`)).text());

  test("checkout.js needs nothing but the browser to define the gateway's interface", async () => {
    class HTMLScriptElement {
      src = "http://localhost/sandbox-gateway/checkout.js";
    }
    const browser = createContext({
      window: {},
      document: { currentScript: new HTMLScriptElement() },
      HTMLScriptElement,
      URL,
    });
    (await script("checkout.js")).runInContext(browser);
    expect(() => new Script("new window.Razorpay({})").runInContext(browser)).toThrow(
      "The checkout needs a key and an order_id.",
    );
    const methods = new Script(`
      const checkout = new window.Razorpay({ key: "rzp_test_key", order_id: "order_1" });
      [typeof checkout.on, typeof checkout.open, typeof checkout.close].join();
    `);
    expect(methods.runInContext(browser)).toBe("function,function,function");
  });

  test("checkout-page.js needs nothing but the browser to start on its page", async () => {
    const sent: unknown[] = [];
    const element = { dataset: {}, focus: () => undefined };
    const browser = createContext({
      window: {
        parent: { postMessage: (...message: unknown[]) => sent.push(message) },
        location: { origin: "http://localhost" },
      },
      document: {
        querySelector: () => element,
        querySelectorAll: () => [],
        addEventListener: () => undefined,
      },
    });
    (await script("checkout-page.js")).runInContext(browser);
    expect(sent).toEqual([[{ from: "sandbox-gateway", type: "ready" }, "http://localhost"]]);
  });
});

test("Pay captures the payment and returns a signed callback", async () => {
  const gatewayOrderId = await orderOf(14_900);
  const answer = paid.parse(await (await shop.choose("pay", gatewayOrderId)).json());
  expect(answer.razorpay_order_id).toBe(gatewayOrderId);
  expect(verified(answer, gatewayOrderId)).toBe(true);
  expect(verified(answer, await orderOf())).toBe(false);
  expect(await shop.gateway.fetchOrderPayments(gatewayOrderId)).toEqual([
    {
      gatewayPaymentId: answer.razorpay_payment_id,
      gatewayOrderId,
      status: "captured",
      amountPaise: 14_900,
      currency: "INR",
      feePaise: 352,
      taxPaise: 54,
      refundedPaise: 0,
      method: "upi",
      errorDescription: null,
      email: "buyer@example.com",
      phone: "+919900000000",
      vpa: "test@sandbox",
      rrn: expect.stringMatching(/^3\d{11}$/),
      upiTransactionId: null,
      bankTransactionId: null,
      createdAt: expect.any(Date),
    },
  ]);
  expect(await eventsOf(gatewayOrderId)).toEqual(["order.paid", "payment.captured"]);
});

test.each([
  ["pay-with-fee", { amountPaise: 5_016, feePaise: 116 }, { isPaid: true, paidPaise: 4_900, duePaise: 0 }],
  ["pay-with-offer", { amountPaise: 4_410, feePaise: 104 }, { isPaid: true, paidPaise: 4_410, duePaise: 0 }],
] as const)("the choice %s of the sandbox checkout pays the order as Razorpay does", async (choice, payment, balance) => {
  const gatewayOrderId = await orderOf(4_900);
  expect(await shop.gateway.fetchOrderBalance(gatewayOrderId)).toEqual({
    isPaid: false,
    paidPaise: 0,
    duePaise: 4_900,
    currency: "INR",
  });
  const answer = paid.parse(await (await shop.choose(choice, gatewayOrderId)).json());
  expect(verified(answer, gatewayOrderId)).toBe(true);
  expect(await shop.gateway.fetchOrderPayments(gatewayOrderId)).toMatchObject([
    { status: "captured", ...payment },
  ]);
  expect(await shop.gateway.fetchOrderBalance(gatewayOrderId)).toEqual({ ...balance, currency: "INR" });
  expect(await eventsOf(gatewayOrderId)).toEqual(["order.paid", "payment.captured"]);
});

test("Pay in 60 tabs at once captures once, and every tab gets the same callback", async () => {
  const gatewayOrderId = await orderOf(14_900);
  // Opens the connections to the database, so that the requests below do not wait for them one after the other.
  await Promise.all(Array.from({ length: 60 }, () => page(gatewayOrderId)));
  const responses = await Promise.all(Array.from({ length: 60 }, () => shop.choose("pay", gatewayOrderId)));
  const answers = await Promise.all(responses.map(async (one) => paid.parse(await one.json())));
  expect(new Set(answers.map((answer) => answer.razorpay_payment_id)).size).toBe(1);
  expect(answers.every((answer) => verified(answer, gatewayOrderId))).toBe(true);
  const byOrder = and(
    eq(sandboxPayments.orderId, gatewayOrderId),
    inArray(sandboxPayments.status, ["captured", "refunded"]),
  );
  expect(await shop.db.$count(sandboxPayments, byOrder)).toBe(1);
  expect(await eventsOf(gatewayOrderId)).toEqual(["order.paid", "payment.captured"]);
});

test("Pay is refused for an unknown order and for a request that a form of another site can send", async () => {
  expect((await shop.choose("pay", "order_AAAAAAAAAAAAAA")).status).toBe(400);
  const gatewayOrderId = await orderOf();
  const form = await fetch(`${shop.base}/sandbox-gateway/checkout/pay`, {
    method: "POST",
    headers: { "content-type": "text/plain" },
    body: JSON.stringify({ order_id: gatewayOrderId }),
  });
  expect(form.status).toBe(400);
  expect(await shop.gateway.fetchOrderPayments(gatewayOrderId)).toEqual([]);
});

test("Fail makes a failed payment, and the order can still be paid", async () => {
  const gatewayOrderId = await orderOf();
  const answer: unknown = await (await shop.choose("fail", gatewayOrderId)).json();
  expect(answer).toMatchObject({ error: { source: "bank", metadata: { order_id: gatewayOrderId } } });
  expect(await eventsOf(gatewayOrderId)).toEqual(["payment.failed"]);
  const retried = paid.parse(await (await shop.choose("pay", gatewayOrderId)).json());
  expect(verified(retried, gatewayOrderId)).toBe(true);
  const payments = await shop.gateway.fetchOrderPayments(gatewayOrderId);
  expect(payments.map((payment) => payment.status).sort()).toEqual(["captured", "failed"]);
  expect(payments.find((payment) => payment.status === "failed")?.errorDescription).toContain("declined");
});

test("Fail changes nothing on a paid order and returns its callback", async () => {
  const gatewayOrderId = await orderOf();
  const first = paid.parse(await (await shop.choose("pay", gatewayOrderId)).json());
  expect(paid.parse(await (await shop.choose("fail", gatewayOrderId)).json())).toEqual(first);
  expect(await eventsOf(gatewayOrderId)).toEqual(["order.paid", "payment.captured"]);
});
