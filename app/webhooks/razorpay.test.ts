import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { signWebhook } from "#adapters/razorpay/signatures.ts";
import type { Context } from "#core/context.ts";
import { openDatabase } from "#db/database.ts";
import { webhookEvents } from "#db/tables/payments.ts";
import { startPaidCheckout } from "#tests/fixtures/open-test-shop.ts";
import { SANDBOX_KEYS } from "#tests/fixtures/sandbox-server.ts";
import { type SandboxShop, startSandboxShop } from "#tests/fixtures/sandbox-shop.ts";
import { receiveRazorpayWebhook } from "./razorpay.ts";

let shop: SandboxShop;
beforeAll(async () => {
  shop = await startSandboxShop();
});
afterAll(() => shop.close());

function deliver(
  ctx: Context,
  body: string | Uint8Array<ArrayBuffer>,
  headers: Record<string, string>,
): Promise<Response> {
  const request = new Request("http://shop.test/webhooks/razorpay", { method: "POST", body, headers });
  return receiveRazorpayWebhook(ctx, request);
}

/** An event with a valid signature, as the sandbox sends it after a payment. */
async function signedEvent() {
  const tool = await shop.tool();
  const { gatewayOrderId } = await startPaidCheckout(await shop.user(), { slug: tool.slug });
  shop.sandbox.startDelivery();
  await shop.payAtGateway(gatewayOrderId);
  const event = await vi.waitFor(
    () =>
      shop.webhooks.find(({ rawBody }) => rawBody.includes(gatewayOrderId)) ??
      Promise.reject(new Error("no event")),
    { timeout: 20_000, interval: 100 },
  );
  return { body: event.rawBody, signature: event.signature, eventId: event.eventId ?? "" };
}

test("an event with a valid signature is stored once before it is answered, however often it arrives", async () => {
  const { body, signature, eventId } = await signedEvent();
  const headers = { "x-razorpay-signature": signature, "x-razorpay-event-id": eventId };
  const forged = await deliver(shop.system(), `${body} `, headers);
  expect([forged.status, await forged.json()]).toEqual([401, { ok: false }]);
  expect(await shop.db.select().from(webhookEvents)).toHaveLength(0);

  const first = await deliver(shop.system(), body, headers);
  expect([first.status, await first.json()]).toEqual([200, { ok: true }]);
  expect(first.headers.get("cache-control")).toBe("no-store");
  expect((await deliver(shop.system(), body, headers)).status).toBe(200);
  expect(await shop.db.select().from(webhookEvents)).toMatchObject([{ eventId, payload: body }]);

  const broken: Context = {
    ...shop.system(),
    clock: {
      now: () => {
        throw new Error("down");
      },
    },
  };
  expect((await deliver(broken, body, headers)).status).toBe(500);

  const unreachable = openDatabase("postgres://nobody@127.0.0.1:1/none", {
    onBrokenConnection: () => undefined,
  });
  const response = await deliver({ ...shop.system(), db: unreachable.db }, body, headers);
  expect([response.status, await response.json()]).toEqual([503, { ok: false }]);
  expect(Number(response.headers.get("retry-after"))).toBeGreaterThan(0);
  await unreachable.close();
});

test.each([
  [
    "in Latin-1",
    (text: string) => Uint8Array.from(Buffer.from(text.replace("{", '{"note":"café",'), "latin1")),
  ],
  ["with a byte-order mark", (text: string) => Uint8Array.from(Buffer.from(`\ufeff${text}`))],
  ["with a NUL", (text: string) => Uint8Array.from(Buffer.from(text.replace("{", '{"note":"\0",')))],
])("the signature of a webhook covers the bytes of a body %s", async (_case, encode) => {
  await shop.db.delete(webhookEvents);
  const { gatewayOrderId } = await startPaidCheckout(await shop.user(), { slug: (await shop.tool()).slug });
  const entity = {
    id: "pay_1",
    order_id: gatewayOrderId,
    amount: 14_900,
    currency: "INR",
    status: "captured",
  };
  const body = encode(JSON.stringify({ event: "payment.captured", payload: { payment: { entity } } }));
  const headers = {
    "x-razorpay-signature": signWebhook(body, SANDBOX_KEYS.webhookSecret),
    "x-razorpay-event-id": "evt_bytes",
  };
  expect((await deliver(shop.system(), body, headers)).status).toBe(200);
  const [event] = await shop.db.select().from(webhookEvents);
  expect(event?.payload).toContain("payment.captured");
  expect((await deliver(shop.system(), Uint8Array.from([...body, 32]), headers)).status).toBe(401);
});

test("the webhook endpoint responds with 404 when the shop has no payment gateway", async () => {
  const without = shop.system();
  const response = await deliver({ ...without, ports: { ...without.ports, gateway: null } }, "{}", {});
  expect(response.status).toBe(404);
});

test("the webhook endpoint refuses every method but POST", async () => {
  const response = await receiveRazorpayWebhook(
    shop.system(),
    new Request("http://shop.test/webhooks/razorpay"),
  );
  expect(response.status).toBe(405);
  expect(response.headers.get("allow")).toBe("POST");
});
