import { expect, test } from "vitest";
import { parseWebhookEvent } from "./razorpay-gateway.ts";

const event = (name: string, payload: object) =>
  JSON.stringify({ entity: "event", account_id: "acc_1", event: name, contains: [], payload, created_at: 1 });
const payment = { entity: { id: "pay_1", order_id: "order_1", amount: 100, status: "captured" } };

test.each([
  ["payment.captured", { payment }, "order_1", "pay_1"],
  ["order.paid", { payment, order: { entity: { id: "order_1" } } }, "order_1", "pay_1"],
  ["order.paid", { order: { entity: { id: "order_1" } } }, "order_1", null],
  [
    "refund.processed",
    { refund: { entity: { id: "rfnd_1", payment_id: "pay_1" } }, payment },
    "order_1",
    "pay_1",
  ],
  ["refund.processed", { refund: { entity: { id: "rfnd_1", payment_id: "pay_1" } } }, null, "pay_1"],
  ["payment.failed", { payment: { entity: { id: "pay_1", order_id: null } } }, null, "pay_1"],
  ["settlement.processed", { settlement: { entity: { id: "setl_1" } } }, null, null],
])("an event of type %s is parsed", (type, payload, gatewayOrderId, gatewayPaymentId) => {
  expect(parseWebhookEvent(event(type, payload), "evt_1")).toEqual({
    eventId: "evt_1",
    type,
    gatewayOrderId,
    gatewayPaymentId,
    gatewayDisputeId: null,
  });
});

test("an event of a dispute names its dispute, and its payment when it has it", () => {
  const dispute = { entity: { id: "disp_1", payment_id: "pay_1", amount: 100, status: "open" } };
  const parsed = (payload: object) => parseWebhookEvent(event("payment.dispute.created", payload), "evt_1");
  const ids = { gatewayPaymentId: "pay_1", gatewayDisputeId: "disp_1" };
  expect(parsed({ payment, dispute })).toMatchObject({ ...ids, gatewayOrderId: "order_1" });
  expect(parsed({ dispute })).toMatchObject({ ...ids, gatewayOrderId: null });
});

test("an event with NUL characters or a long id becomes one that the database can store", () => {
  const odd = { entity: { id: "pay_1\u0000", order_id: "order\u0000_1" } };
  expect(parseWebhookEvent(event("payment.\u0000captured", { payment: odd }), "evt_1")).toEqual({
    eventId: "evt_1",
    type: "payment.captured",
    gatewayOrderId: "order_1",
    gatewayPaymentId: "pay_1",
    gatewayDisputeId: null,
  });
  const long = "e".repeat(6_000);
  const { eventId } = parseWebhookEvent("{}", long);
  expect(eventId.length).toBeLessThan(200);
  expect(parseWebhookEvent("{}", long).eventId).toBe(eventId);
  expect(parseWebhookEvent("{}", `${long}e`).eventId).not.toBe(eventId);
});

test("a webhook event needs no fields besides the event and its payload", () => {
  const read = parseWebhookEvent(
    JSON.stringify({ event: "payment.captured", payload: { payment } }),
    "evt_1",
  );
  expect(read).toMatchObject({
    type: "payment.captured",
    gatewayOrderId: "order_1",
    gatewayPaymentId: "pay_1",
  });
});

test("a webhook event without an id gets an id that depends only on its body", () => {
  const body = event("payment.captured", { payment });
  const id = parseWebhookEvent(body, null).eventId;
  expect(id).toMatch(/^body-[0-9a-f]{64}$/);
  expect(parseWebhookEvent(body, null).eventId).toBe(id);
  expect(parseWebhookEvent(body, "").eventId).toBe(id);
  expect(parseWebhookEvent(`${body} `, null).eventId).not.toBe(id);
});

test.each([
  "",
  "not json",
  "null",
  "[]",
  "{}",
  '{"entity":"event","event":"x"}',
  '{"entity":"event","payload":{}}',
])("the body %j becomes an unreadable event", (body) => {
  expect(parseWebhookEvent(body, "evt_1")).toEqual({
    eventId: "evt_1",
    type: "unreadable",
    gatewayOrderId: null,
    gatewayPaymentId: null,
    gatewayDisputeId: null,
  });
});
