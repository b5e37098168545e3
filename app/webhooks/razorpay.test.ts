import { afterAll, beforeAll, expect, test, vi } from "vitest";
import type { Context } from "#core/context.ts";
import { openDatabase } from "#db/database.ts";
import { webhookEvents } from "#db/tables/payments.ts";
import { startPaidCheckout } from "#tests/fixtures/open-test-shop.ts";
import { type SandboxShop, startSandboxShop } from "#tests/fixtures/sandbox-shop.ts";
import { receiveRazorpayWebhook } from "./razorpay.ts";

let shop: SandboxShop;
beforeAll(async () => {
  shop = await startSandboxShop();
});
afterAll(() => shop.close());

function deliver(ctx: Context, body: string, headers: Record<string, string>): Promise<Response> {
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
