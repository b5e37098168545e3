import { createServer, type Server } from "node:http";
import { text } from "node:stream/consumers";
import { afterEach, beforeEach, expect, test } from "vitest";
import { signWebhook } from "#adapters/razorpay/signatures.ts";
import { type FakeGateway, startFakeGateway } from "./fake-gateway.ts";
import { createOrder } from "./request-api.ts";

const SECRET = "hook-secret";
let gateway: FakeGateway;
let shop: Server;
let received: { id: string; type: string; signature: string; rawBody: string }[];
/** Statuses of the shop's next responses; 204 when empty. */
let responses: number[];

beforeEach(async () => {
  received = [];
  responses = [];
  shop = createServer(async (request, response) => {
    const rawBody = await text(request);
    const { "x-razorpay-event-id": id, "x-razorpay-signature": signature } = request.headers;
    received.push({ id: String(id), signature: String(signature), rawBody, type: JSON.parse(rawBody).event });
    response.writeHead(responses.shift() ?? 204).end();
  });
  await new Promise<void>((resolve) => shop.listen(0, "127.0.0.1", resolve));
  const address = shop.address();
  const port = typeof address === "object" && address ? address.port : 0;
  gateway = await startFakeGateway({
    webhookSecret: SECRET,
    webhookUrl: `http://127.0.0.1:${port}/hook`,
    webhookRetryPausesMs: [1],
  });
});
afterEach(async () => {
  await gateway.close();
  shop.closeAllConnections();
  shop.close();
});

const ids = () => received.map(({ id }) => id);

test("webhooks of a payment are signed over the body and repeated until the shop accepts them", async () => {
  responses = [500, 503, 400];
  gateway.pay(await createOrder(gateway));
  await gateway.webhooks.untilIdle();
  expect(received).toHaveLength(6);
  expect(new Set(ids()).size).toBe(3);
  expect(new Set(received.map(({ type }) => type))).toEqual(
    new Set(["payment.authorized", "payment.captured", "order.paid"]),
  );
  const statuses = gateway.webhooks.events().flatMap((event) => event.responses.map(({ status }) => status));
  expect(statuses.toSorted()).toEqual([204, 204, 204, 400, 500, 503]);
  for (const { rawBody, signature } of received) expect(signature).toBe(signWebhook(rawBody, SECRET));
});

test("held webhooks are delivered on request, in a reproducible random order", async () => {
  gateway.webhooks.configure({ mode: "hold" });
  for (const receipt of ["a", "b", "c"]) gateway.pay(await createOrder(gateway, 100, receipt));
  expect(received).toEqual([]);
  const deliveries = await gateway.webhooks.deliver({ order: "shuffled", times: 3, seed: 7 });
  expect(deliveries).toHaveLength(27);
  const first = ids();
  const chronological = gateway.webhooks.events().map(({ id }) => id);
  expect(first.slice(0, 9)).not.toEqual(chronological);
  expect(first.toSorted()).toEqual([...chronological, ...chronological, ...chronological].toSorted());
  received = [];
  expect(await gateway.webhooks.deliver()).toEqual([]);
  await gateway.webhooks.deliver({ order: "shuffled", times: 3, seed: 7, includeDelivered: true });
  expect(ids()).toEqual(first);
});

test("a webhook that the shop refused is delivered by the next call", async () => {
  gateway.webhooks.configure({ mode: "hold" });
  gateway.fail(await createOrder(gateway));
  responses = [503];
  expect(await gateway.webhooks.deliver()).toMatchObject([{ status: 503 }]);
  expect(await gateway.webhooks.deliver()).toMatchObject([{ status: 204 }]);
  expect(await gateway.webhooks.deliver()).toEqual([]);
});

test("dropped webhooks are recorded and not sent", async () => {
  gateway.webhooks.configure({ mode: "drop" });
  gateway.pay(await createOrder(gateway));
  await gateway.webhooks.untilIdle();
  expect(received).toEqual([]);
  expect(gateway.webhooks.events().map(({ type }) => type)).toEqual([
    "payment.authorized",
    "payment.captured",
    "order.paid",
  ]);
});

test("a new secret signs later events only", async () => {
  gateway.webhooks.configure({ mode: "hold" });
  gateway.fail(await createOrder(gateway));
  gateway.webhooks.configure({ secret: "new-secret" });
  gateway.fail(await createOrder(gateway));
  await gateway.webhooks.deliver();
  expect(received.map(({ signature, rawBody }) => signature === signWebhook(rawBody, SECRET))).toEqual([
    true,
    false,
  ]);
  expect(received[1]?.signature).toBe(signWebhook(received[1]?.rawBody ?? "", "new-secret"));
});

test("any message can be sent with any signature", async () => {
  responses = [400];
  expect(await gateway.webhooks.post({ rawBody: '{"event":"x"}', signature: "forged", eventId: "e" })).toBe(
    400,
  );
  expect(await gateway.webhooks.post({ rawBody: '{"event":"x"}' })).toBe(204);
  expect(received).toMatchObject([
    { id: "e", signature: "forged" },
    { id: "undefined", signature: signWebhook('{"event":"x"}', SECRET) },
  ]);
});

test("a refund has webhooks for its creation and its end, with the payment at that time", async () => {
  gateway.webhooks.configure({ mode: "hold" });
  gateway.holdRefunds(true);
  const { razorpay_payment_id: paymentId } = gateway.pay(await createOrder(gateway));
  const { refundId } = gateway.refundAtGateway(paymentId, 400);
  gateway.finishRefund(refundId);
  const bodies = gateway.webhooks.events().map(({ rawBody }) => JSON.parse(rawBody));
  expect(bodies.slice(-2)).toMatchObject([
    { event: "refund.created", payload: { refund: { entity: { id: refundId, status: "pending" } } } },
    {
      event: "refund.processed",
      contains: ["refund", "payment"],
      payload: { refund: { entity: { status: "processed" } }, payment: { entity: { amount_refunded: 400 } } },
    },
  ]);
});
