import { afterAll, beforeAll, expect, test, vi } from "vitest";
import type { JobName } from "#core/jobs.ts";
import { openDatabase } from "#db/database.ts";
import { startTestShop, type TestShop } from "../tools/testing/shop.ts";
import { startToPay } from "../tools/testing/start-to-pay.ts";
import { catchUpAfterOutages } from "./catch-up.ts";

let shop: TestShop;
beforeAll(async () => {
  shop = await startTestShop();
});
afterAll(() => shop.close());

const log = { debug() {}, info() {}, warn() {}, error() {} };
const waits = { calmMs: 10, tryAgainMs: 10, atMostEveryMs: 0 };

test("after an outage, a payment nobody told of is found, as soon as the database is back", async () => {
  const buyer = await shop.user();
  const { orderId } = await startToPay(buyer, { slug: (await shop.tool()).slug });
  await shop.payAtGateway(orderId);
  const gone = openDatabase("postgres://nobody@127.0.0.1:1/none", { onBrokenConnection: () => undefined });
  let tries = 0;
  let broke: () => void = () => undefined;
  const nudged: JobName[] = [];
  const stop = catchUpAfterOutages(
    {
      systemContext: () => ({ ...shop.system(), ...(++tries < 3 ? { db: gone.db } : {}) }),
      jobs: { triggerSoon: (name) => void nudged.push(name) },
      onBrokenConnection: (listener) => {
        broke = listener;
      },
    },
    log,
    waits,
  );
  for (let n = 0; n < 10; n++) broke();
  await vi.waitUntil(() => nudged.length > 0, { timeout: 20_000 });
  expect((await shop.purchasesOf(buyer))[0]?.status).toBe("completed");
  expect(tries).toBe(3);
  expect(nudged).toEqual(["handle-gateway-events", "carry-out-refunds", "end-holds", "send-mail"]);
  stop();
  await gone.close();
});
