import Razorpay from "razorpay";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { createRazorpayGateway } from "#adapters/razorpay/razorpay-gateway.ts";
import type { Change, GatewayStore, Payment } from "#adapters/sandbox-gateway/entities.ts";
import { createPostgresStore } from "#adapters/sandbox-gateway/postgres-store.ts";
import { authorizePayment, payOrder, startPayment } from "#adapters/sandbox-gateway/transitions.ts";
import { systemClock } from "#core/time.ts";
import { openDatabase } from "#db/database.ts";
import { freshDatabase } from "../database/database.ts";
import { SANDBOX_KEYS, startSandboxServer } from "../fixtures/sandbox-server.ts";
import { startFakeGateway } from "./fake-gateway.ts";

interface Gateway {
  url: string;
  keyId: string;
  keySecret: string;
  store: GatewayStore;
  close(): Promise<void>;
}

/** The sandbox gateway, with its records in the tables of a new database. */
async function startSandboxGateway(): Promise<Gateway> {
  const database = await freshDatabase();
  const { db, close } = openDatabase(database.url, { onBrokenConnection: () => {} });
  const server = await startSandboxServer({ onWebhook: () => new Response() });
  server.serveSandbox(db);
  return {
    ...SANDBOX_KEYS,
    url: `${server.address}/sandbox-gateway`,
    store: createPostgresStore({ db, clock: systemClock, onQueued: () => {} }),
    async close() {
      await server.stop();
      await close();
      await database.drop();
    },
  };
}

let gateway: Gateway;
let sdk: Razorpay;

/** What the buyer and the bank do. @returns the id of the payment */
const change = (orderId: string, make: (records: Change) => Payment) =>
  gateway.store.change({ orderId }, (records) => make(records).id);
const pay = (orderId: string) => change(orderId, payOrder);
const authorize = (orderId: string) =>
  change(orderId, (records) => {
    const payment = startPayment(records);
    authorizePayment(records, payment);
    return payment;
  });

/** The official SDK has a fixed address; the base URL of its HTTP client can be changed. */
function sdkWith(keySecret: string): Razorpay {
  const instance = new Razorpay({ key_id: gateway.keyId, key_secret: keySecret });
  Reflect.get(instance.api, "rq").defaults.baseURL = gateway.url;
  return instance;
}

const order = (receipt: string) => sdk.orders.create({ amount: 14_900, currency: "INR", receipt });

describe.each([
  ["the fake gateway", () => startFakeGateway()],
  ["the sandbox gateway", startSandboxGateway],
])("the official SDK and %s:", (_, start: () => Promise<Gateway>) => {
  beforeAll(async () => {
    gateway = await start();
  });
  afterAll(() => gateway.close());
  beforeEach(() => {
    sdk = sdkWith(gateway.keySecret);
  });

  test("the SDK creates an order, and lists it with its payment once it is paid", async () => {
    const made = await sdk.orders.create({
      amount: 14_900,
      currency: "INR",
      receipt: "r-1",
      notes: { tool: "x" },
    });
    expect(made).toMatchObject({
      entity: "order",
      status: "created",
      amount_due: 14_900,
      notes: { tool: "x" },
    });
    const paymentId = await pay(made.id);
    expect(await sdk.orders.fetch(made.id)).toMatchObject({
      status: "paid",
      amount_paid: 14_900,
      attempts: 1,
    });
    expect(await sdk.orders.all({ receipt: "r-1" })).toMatchObject({ count: 1, items: [{ id: made.id }] });
    const { items } = await sdk.orders.fetchPayments(made.id);
    expect(items).toMatchObject([
      {
        id: paymentId,
        order_id: made.id,
        status: "captured",
        method: "upi",
        currency: "INR",
      },
    ]);
    expect(await sdk.payments.fetch(paymentId)).toEqual(items[0]);
  });

  test("the SDK and our adapter list the same orders of a time, page by page", async () => {
    const made: Awaited<ReturnType<typeof order>>[] = [];
    for (const receipt of ["r-11", "r-12", "r-13"]) made.push(await order(receipt));
    await pay(made[1]?.id ?? "");
    const from = Math.min(...made.map(({ created_at }) => created_at));
    const pages: typeof made = [];
    for (let skip = 0; ; skip += 2) {
      const { items } = await sdk.orders.all({ from, to: from + 3_600, count: 2, skip });
      pages.push(...items);
      if (items.length < 2) break;
    }
    const adapter = createRazorpayGateway({
      apiUrl: gateway.url,
      keyId: gateway.keyId,
      keySecret: gateway.keySecret,
      webhookSecrets: [],
      checkoutScriptUrl: "",
      name: "razorpay",
    });
    const listed: unknown[] = [];
    for await (const page of adapter.listOrders({
      since: new Date(from * 1000),
      until: new Date((from + 3_600) * 1000),
    })) {
      listed.push(
        ...page.map(({ gatewayOrderId, receipt, wasTried }) => ({ gatewayOrderId, receipt, wasTried })),
      );
    }
    expect(listed).toEqual(
      pages.map(({ id, receipt, status }) => ({
        gatewayOrderId: id,
        receipt,
        wasTried: status !== "created",
      })),
    );
    expect(listed).toEqual(
      expect.arrayContaining([expect.objectContaining({ receipt: "r-12", wasTried: true })]),
    );
    expect(await sdk.orders.all({ from: from + 3_600 })).toMatchObject({ count: 0 });
    expect(await sdk.orders.all({ to: from - 3_600 })).toMatchObject({ count: 0 });
    await expect(sdk.orders.all({ from, count: 101 })).rejects.toMatchObject({ statusCode: 400 });
  });

  test("the SDK captures a payment that was authorised late, once", async () => {
    const { id } = await order("r-2");
    const paymentId = await authorize(id);
    expect(await sdk.payments.capture(paymentId, 14_900, "INR")).toMatchObject({
      id: paymentId,
      captured: true,
    });
    await expect(sdk.payments.capture(paymentId, 14_900, "INR")).rejects.toEqual({
      statusCode: 400,
      error: expect.objectContaining({
        code: "BAD_REQUEST_ERROR",
        description: "This payment has already been captured",
      }),
    });
  });

  test("the SDK refunds a payment in parts and in full", async () => {
    const { id } = await order("r-3");
    const paymentId = await pay(id);
    const part = await sdk.payments.refund(paymentId, { amount: 4_900 });
    expect(part).toMatchObject({
      entity: "refund",
      payment_id: paymentId,
      amount: 4_900,
      status: "processed",
    });
    const rest = await sdk.payments.refund(paymentId, {});
    expect(rest.amount).toBe(10_000);
    expect(await sdk.refunds.fetch(part.id)).toEqual(part);
    expect(await sdk.payments.fetchMultipleRefund(paymentId, {})).toMatchObject({ items: [rest, part] });
    expect(await sdk.payments.fetch(paymentId)).toMatchObject({ status: "refunded", refund_status: "full" });
  });

  test("the SDK reports refused requests with the fields of the real gateway", async () => {
    await expect(sdk.orders.create({ amount: 99, currency: "INR" })).rejects.toMatchObject({
      statusCode: 400,
      error: { field: "amount", reason: "input_validation_failed" },
    });
    await expect(sdk.orders.fetch("order_1")).rejects.toMatchObject({
      statusCode: 400,
      error: { description: "The id provided does not exist" },
    });
    sdk = sdkWith("wrong");
    await expect(sdk.orders.fetch("order_1")).rejects.toMatchObject({
      statusCode: 401,
      error: { description: "Authentication failed" },
    });
  });
});
