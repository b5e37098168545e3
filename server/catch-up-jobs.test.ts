import { afterAll, beforeAll, expect, test, vi } from "vitest";
import type { JobName } from "#core/ports.ts";
import { openDatabase } from "#db/database.ts";
import { startPaidCheckout } from "../tests/fixtures/open-test-shop.ts";
import { type SandboxShop, startSandboxShop } from "../tests/fixtures/sandbox-shop.ts";
import { catchUp, catchUpAfterOutages } from "./jobs.ts";

let shop: SandboxShop;
beforeAll(async () => {
  shop = await startSandboxShop();
});
afterAll(() => shop.close());

const log = { debug() {}, info() {}, warn() {}, error() {} };
const waits = { calmMs: 10, retryMs: 10, atMostEveryMs: 0 };

test("a start stores passes that an older version has imported as active as completed, unless the shop is stopping", async () => {
  const buyer = await shop.user();
  await shop.pass(buyer, { toolName: "Canva", source: "import", status: "active" });
  const statusOf = async () => (await shop.purchasesOf(buyer))[0]?.status;
  const parts = { systemContext: shop.system, jobs: { triggerSoon() {} }, onBrokenConnection() {} };
  await catchUp(parts, log, AbortSignal.abort());
  expect(await statusOf()).toBe("active");
  await catchUp(parts, log, new AbortController().signal);
  expect(await statusOf()).toBe("completed");
});

test("a payment whose webhook was lost in an outage is settled as soon as the database answers again", async () => {
  const buyer = await shop.user();
  const { gatewayOrderId } = await startPaidCheckout(buyer, { slug: (await shop.tool()).slug });
  await shop.payAtGateway(gatewayOrderId);
  const gone = openDatabase("postgres://nobody@127.0.0.1:1/none", { onBrokenConnection: () => undefined });
  let tries = 0;
  let broke: () => void = () => undefined;
  const triggered: JobName[] = [];
  const stop = catchUpAfterOutages(
    {
      systemContext: () => ({ ...shop.system(), ...(++tries < 3 ? { db: gone.db } : {}) }),
      jobs: { triggerSoon: (name) => void triggered.push(name) },
      onBrokenConnection: (listener) => {
        broke = listener;
      },
    },
    log,
    waits,
  );
  for (let n = 0; n < 10; n++) broke();
  await vi.waitUntil(() => triggered.length > 0, { timeout: 20_000 });
  expect((await shop.purchasesOf(buyer))[0]?.status).toBe("completed");
  expect(tries).toBe(3);
  expect(triggered).toEqual([
    "read-restored-orders",
    "process-webhook-events",
    "process-refunds",
    "expire-holds",
    "send-mail",
    "run-bulk-actions",
  ]);
  stop();
  await gone.close();
});
