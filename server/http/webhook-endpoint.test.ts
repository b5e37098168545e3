import { once } from "node:events";
import { Hono } from "hono";
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from "vitest";
import { webhookEvents } from "#db/tables/payments.ts";
import { startPaidCheckout } from "#tests/fixtures/open-test-shop.ts";
import { type SandboxShop, startSandboxShop } from "#tests/fixtures/sandbox-shop.ts";
import { signWebhook } from "../../adapters/razorpay/signatures.ts";
import { readEnv } from "../env.ts";
import { mountWebhook } from "./app.ts";
import { createHttpServer } from "./http-server.ts";
import { createRefusalLog } from "./refusals.ts";
import type { AppEnv } from "./request-scope.ts";

let shop: SandboxShop;
beforeAll(async () => {
  shop = await startSandboxShop();
});
afterAll(() => shop.close());

async function serve() {
  const lines: object[] = [];
  const write = (facts: object) => void lines.push(facts);
  const plain = { debug: write, info: write, warn: write, error: write };
  const refusals = createRefusalLog(plain);
  const app = new Hono<AppEnv>();
  mountWebhook(app, () => shop.system());
  const server = createHttpServer({
    app,
    env: readEnv({}),
    log: { ...plain, child: () => plain },
    refusals,
    // A header sets the address, because this test has one machine only.
    addressOf: (_socket, forwardedFor) => forwardedFor ?? "203.0.113.7",
    isTrustedProxy: () => false,
    observe: () => undefined,
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => new Promise<void>((resolve) => void server.close(() => resolve())));
  const bound = server.address();
  if (bound === null || typeof bound === "string") throw new Error("the server has no port");
  const deliver = async (body: string, headers: Record<string, string>) => {
    const answer = await fetch(`http://127.0.0.1:${bound.port}/webhooks/razorpay`, {
      method: "POST",
      body,
      headers: { connection: "close", ...headers },
    });
    await answer.arrayBuffer();
    return answer.status;
  };
  return { deliver, refusals, lines };
}

const WRONG = { "x-razorpay-signature": "0".repeat(64) };

async function genuineEvent() {
  const { gatewayOrderId } = await startPaidCheckout(await shop.user(), { slug: (await shop.tool()).slug });
  shop.sandbox.startDelivery();
  await shop.payAtGateway(gatewayOrderId);
  return vi.waitFor(
    () => {
      const found = shop.webhooks.find(({ rawBody }) => rawBody.includes(gatewayOrderId));
      if (!found) throw new Error("no event");
      return found;
    },
    { timeout: 20_000, interval: 100 },
  );
}

test("many wrong signatures are delayed while a genuine event of the same address is stored at once", async () => {
  const { deliver, refusals, lines } = await serve();
  const event = await genuineEvent();
  let answered = 0;
  const flood = Array.from({ length: 150 }, async () => {
    const status = await deliver("{}", WRONG);
    answered++;
    return status;
  });
  await vi.waitFor(() => expect(answered).toBeGreaterThanOrEqual(20), { timeout: 20_000, interval: 5 });
  const before = answered;
  expect(
    await deliver(event.rawBody, {
      "x-razorpay-signature": event.signature,
      "x-razorpay-event-id": event.eventId ?? "",
    }),
  ).toBe(200);
  expect(before).toBeLessThan(150);
  expect(await shop.db.select().from(webhookEvents)).toMatchObject([{ payload: event.rawBody }]);
  const statuses = await Promise.all(flood);
  expect(statuses.filter((status) => status !== 401 && status !== 429)).toEqual([]);
  expect(await shop.db.select().from(webhookEvents)).toHaveLength(1);

  expect(lines.filter((line) => "reason" in line)).toEqual([]);
  refusals.flush();
  expect(lines.filter((line) => "reason" in line)).toEqual([
    { reason: "webhook with a wrong signature", address: "203.0.113.7", count: 150 },
  ]);
});

test("wrong signatures of one address do not delay another address", async () => {
  const { deliver } = await serve();
  await Promise.all(
    Array.from({ length: 30 }, () => deliver("{}", { ...WRONG, "x-forwarded-for": "10.0.0.1" })),
  );
  const began = performance.now();
  const first = deliver("{}", { ...WRONG, "x-forwarded-for": "10.0.0.1" });
  const other = deliver("{}", { ...WRONG, "x-forwarded-for": "10.0.0.2" });
  expect(await Promise.race([first.then(() => "first"), other.then(() => "other")])).toBe("other");
  await first;
  expect(performance.now() - began).toBeGreaterThanOrEqual(900);
});

test("a webhook of the gateway's largest size is received and a larger one is refused", async () => {
  const { deliver } = await serve();
  const signature = (body: string) => ({ "x-razorpay-signature": signWebhook(body, "not the secret") });
  const large = "x".repeat(256 * 1024);
  expect(await deliver(large, signature(large))).toBe(401);
  expect(await deliver(`${large}x`, signature(`${large}x`))).toBe(413);
});
