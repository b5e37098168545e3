import { createServer, type Server } from "node:http";
import { afterEach, beforeEach, expect, test } from "vitest";
import { orderAt } from "./ask.ts";
import { hmac } from "./events.ts";
import { type FakeGateway, startFakeGateway } from "./fake-gateway.ts";
import { readBody } from "./http.ts";

const SECRET = "hook-secret";
let gateway: FakeGateway;
let shop: Server;
let taken: { id: string; type: string; signature: string; rawBody: string }[];
/** The shop's next answers; 204 when there are none. */
let answers: number[];

beforeEach(async () => {
  taken = [];
  answers = [];
  shop = createServer(async (request, response) => {
    const rawBody = await readBody(request);
    const { "x-razorpay-event-id": id, "x-razorpay-signature": signature } = request.headers;
    taken.push({ id: String(id), signature: String(signature), rawBody, type: JSON.parse(rawBody).event });
    response.writeHead(answers.shift() ?? 204).end();
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

const ids = () => taken.map(({ id }) => id);

test("a payment is told at once, signed over the body, and again until it is taken", async () => {
  answers = [500, 503, 400];
  gateway.pay(await orderAt(gateway));
  await gateway.webhooks.settled();
  expect(taken).toHaveLength(6);
  expect(new Set(ids()).size).toBe(3);
  expect(new Set(taken.map(({ type }) => type))).toEqual(
    new Set(["payment.authorized", "payment.captured", "order.paid"]),
  );
  const told = gateway.webhooks.events().flatMap((event) => event.answers.map(({ status }) => status));
  expect(told.toSorted()).toEqual([204, 204, 204, 400, 500, 503]);
  for (const { rawBody, signature } of taken) expect(signature).toBe(hmac(rawBody, SECRET));
});

test("what is held is delivered when told, in a shuffle that can be repeated", async () => {
  gateway.webhooks.configure({ mode: "hold" });
  for (const receipt of ["a", "b", "c"]) gateway.pay(await orderAt(gateway, 100, receipt));
  expect(taken).toEqual([]);
  const deliveries = await gateway.webhooks.deliver({ order: "shuffled", times: 3, seed: 7 });
  expect(deliveries).toHaveLength(27);
  const first = ids();
  const happened = gateway.webhooks.events().map(({ id }) => id);
  expect(first.slice(0, 9)).not.toEqual(happened);
  expect(first.toSorted()).toEqual([...happened, ...happened, ...happened].toSorted());
  taken = [];
  expect(await gateway.webhooks.deliver()).toEqual([]);
  await gateway.webhooks.deliver({ order: "shuffled", times: 3, seed: 7, again: true });
  expect(ids()).toEqual(first);
});

test("what the shop refused is delivered by the next call", async () => {
  gateway.webhooks.configure({ mode: "hold" });
  gateway.fail(await orderAt(gateway));
  answers = [503];
  expect(await gateway.webhooks.deliver()).toMatchObject([{ status: 503 }]);
  expect(await gateway.webhooks.deliver()).toMatchObject([{ status: 204 }]);
  expect(await gateway.webhooks.deliver()).toEqual([]);
});

test("what is dropped is never sent, but known", async () => {
  gateway.webhooks.configure({ mode: "drop" });
  gateway.pay(await orderAt(gateway));
  await gateway.webhooks.settled();
  expect(taken).toEqual([]);
  expect(gateway.webhooks.events().map(({ type }) => type)).toEqual([
    "payment.authorized",
    "payment.captured",
    "order.paid",
  ]);
});

test("a new secret signs what happens from now on, not what happened before", async () => {
  gateway.webhooks.configure({ mode: "hold" });
  gateway.fail(await orderAt(gateway));
  gateway.webhooks.configure({ secret: "new-secret" });
  gateway.fail(await orderAt(gateway));
  await gateway.webhooks.deliver();
  expect(taken.map(({ signature, rawBody }) => signature === hmac(rawBody, SECRET))).toEqual([true, false]);
  expect(taken[1]?.signature).toBe(hmac(taken[1]?.rawBody ?? "", "new-secret"));
});

test("anything else can be sent, with any signature", async () => {
  answers = [400];
  expect(await gateway.webhooks.post({ rawBody: '{"event":"x"}', signature: "forged", eventId: "e" })).toBe(
    400,
  );
  expect(await gateway.webhooks.post({ rawBody: '{"event":"x"}' })).toBe(204);
  expect(taken).toMatchObject([
    { id: "e", signature: "forged" },
    { id: "undefined", signature: hmac('{"event":"x"}', SECRET) },
  ]);
});

test("a refund tells of its beginning and its end, with the payment as it is then", async () => {
  gateway.webhooks.configure({ mode: "hold" });
  gateway.holdRefunds(true);
  const { razorpay_payment_id: paymentId } = gateway.pay(await orderAt(gateway));
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
