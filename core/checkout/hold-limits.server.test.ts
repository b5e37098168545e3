import { afterAll, beforeAll, expect, test } from "vitest";
import { userPurchases } from "#db/tables/purchases.ts";
import { startPaidCheckout } from "#tests/fixtures/open-test-shop.ts";
import { type SandboxShop, startSandboxShop } from "#tests/fixtures/sandbox-shop.ts";
import type { Context } from "../context.ts";
import { MINUTE } from "../time.ts";
import { confirmCheckout } from "./checkout-status.server.ts";
import { cancelCheckout } from "./end-checkout.server.ts";
import { startCheckout } from "./start-checkout.server.ts";

let shop: SandboxShop;
beforeAll(async () => {
  shop = await startSandboxShop();
});
afterAll(() => shop.close());

const from = <Ctx extends Context>(ctx: Ctx, ipAddress: string): Ctx => ({
  ...ctx,
  browser: { headers: new Headers(), ipAddress },
});
const resultOf = (start: Promise<unknown>) =>
  start.then(
    () => "started",
    (error: Error) => error.message,
  );
const count = (ends: string[], end: string) => ends.filter((one) => one === end).length;

test("a fourth open checkout of one account is refused, also when all are started at once", async () => {
  const buyer = await shop.user();
  const tools = await Promise.all(Array.from({ length: 8 }, () => shop.tool()));
  const ends = await Promise.all(tools.map(({ slug }) => resultOf(startCheckout(buyer, { slug }))));
  expect(count(ends, "started")).toBe(3);
  expect(count(ends, "too-many-checkouts")).toBe(5);
  const held = await Promise.all(tools.map(({ id }) => shop.stockOf(id)));
  expect(held.filter((stock) => stock === 4)).toHaveLength(3);
});

test("the hold limit counts a resumed or replaced checkout once, and does not count a closed or ended one", async () => {
  const buyer = await shop.user();
  const options = [7, 30].map((validityDays) => ({
    label: `${validityDays} Days`,
    validityDays,
    pricePaise: validityDays * 100,
    originalPricePaise: null,
  }));
  const tools = await Promise.all(Array.from({ length: 4 }, () => shop.tool({ pricingOptions: options })));
  const start = (n: number, option = "7 Days") =>
    startPaidCheckout(buyer, { slug: tools[n]?.slug ?? "", option });
  const [first] = [await start(0), await start(1), await start(2)];
  await start(2);
  await start(2, "30 Days");
  await expect(start(3)).rejects.toMatchObject({ code: "too-many-checkouts", details: { limit: 3 } });
  await cancelCheckout(buyer, { purchaseId: first.purchaseId });
  await start(3);
  await expect(start(0)).rejects.toMatchObject({ code: "too-many-checkouts" });
  shop.clock.advance(15 * MINUTE);
  await start(0);
});

test("a twenty-first open checkout from one address is refused to accounts that never bought", async () => {
  const tool = await shop.tool({ availableStock: 100 });
  const crowd = await Promise.all(Array.from({ length: 60 }, () => shop.user()));
  const ends = await Promise.all(
    crowd.map((buyer) => resultOf(startCheckout(from(buyer, "192.0.2.7"), { slug: tool.slug }))),
  );
  expect(count(ends, "started")).toBe(20);
  expect(count(ends, "too-many-checkouts-here")).toBe(40);
  expect(await shop.stockOf(tool.id)).toBe(80);

  const elsewhere = from(await shop.user(), "192.0.2.8");
  await startCheckout(elsewhere, { slug: tool.slug });
  shop.clock.advance(15 * MINUTE);
  await startCheckout(from(await shop.user(), "192.0.2.7"), { slug: tool.slug });
});

test("buyers who have bought before do not count against the limit of their address", async () => {
  const tool = await shop.tool({ availableStock: 100 });
  const buyer = from(await shop.user(), "192.0.2.9");
  const { gatewayOrderId } = await startPaidCheckout(buyer, { slug: (await shop.tool()).slug });
  await confirmCheckout(buyer, await shop.payAtGateway(gatewayOrderId));
  for (let n = 0; n < 20; n++) {
    await startCheckout(from(await shop.user(), "192.0.2.9"), { slug: tool.slug });
  }
  const firstTimeBuyer = from(await shop.user(), "192.0.2.9");
  await expect(startCheckout(firstTimeBuyer, { slug: tool.slug })).rejects.toMatchObject({
    code: "too-many-checkouts-here",
  });
  await startCheckout(buyer, { slug: tool.slug });
});

/** Starts checkouts of one tool at once, each of a new account at the address of its number. */
async function startAtOnce(
  tool: { slug: string },
  count: number,
  addressOf: (at: number) => string,
  factor = 1,
) {
  const crowd = await Promise.all(Array.from({ length: count }, () => shop.user()));
  return Promise.all(
    crowd.map((buyer, at) => {
      const ctx = from(buyer, addressOf(at));
      const scaled = { ...ctx, store: { ...ctx.store, perAddressFactor: factor } };
      return resultOf(startCheckout(scaled, { slug: tool.slug }));
    }),
  );
}

test("sixty accounts of sixty networks that never bought hold half of a tool's units at most", async () => {
  const tool = await shop.tool({ availableStock: 35 });
  const ends = await startAtOnce(tool, 60, (at) => `2001:db9:${at.toString(16)}::1`);
  expect(count(ends, "started")).toBe(18);
  expect(count(ends, "units-being-paid-for")).toBe(42);
  expect(await shop.stockOf(tool.id)).toBe(17);

  const buyer = from(await shop.user(), "192.0.2.20");
  const { gatewayOrderId } = await startPaidCheckout(buyer, { slug: (await shop.tool()).slug });
  await confirmCheckout(buyer, await shop.payAtGateway(gatewayOrderId));
  await startCheckout(buyer, { slug: tool.slug });
  expect(await shop.stockOf(tool.id)).toBe(16);

  const ofOldShop = from(await shop.user(), "192.0.2.21");
  const bought = await shop.tool();
  await shop.pass(ofOldShop, {
    toolId: bought.id,
    toolName: bought.name,
    source: "import",
    amountPaise: 4900,
  });
  await startCheckout(ofOldShop, { slug: tool.slug });
  expect(await shop.stockOf(tool.id)).toBe(15);
});

test.each([
  [3, 3, 1],
  [4, 2, 1],
  [5, 3, 1],
  [5, 5, 0],
])("a tool with %i units lets newcomers hold %i at a factor of %d for LIMITS_PER_ADDRESS", async (units, held, factor) => {
  const tool = await shop.tool({ availableStock: units });
  const ends = await startAtOnce(tool, 60, (at) => `198.51.100.${at}`, factor);
  expect(count(ends, "started")).toBe(held);
});

test("a newcomer at the share of newcomers may still replace the own checkout, and a free pass is no hold", async () => {
  const tool = await shop.tool({ availableStock: 4 });
  const { code } = await shop.coupon(tool.id);
  const free = await shop.coupon(tool.id, { discountPercentage: 100 });
  const [first, second, third] = await Promise.all(
    [21, 22, 23].map(async (at) => from(await shop.user(), `192.0.2.${at}`)),
  );
  if (!first || !second || !third) throw new Error("nobody is here");
  await startCheckout(first, { slug: tool.slug });
  await startCheckout(second, { slug: tool.slug });
  await expect(startCheckout(third, { slug: tool.slug })).rejects.toMatchObject({
    code: "units-being-paid-for",
  });
  await startCheckout(first, { slug: tool.slug, coupon: code });
  await startCheckout(third, { slug: tool.slug, coupon: free.code });
  expect(await shop.stockOf(tool.id)).toBe(1);
});

test.each([
  ["/56", 4, (at: number) => `2001:db8:a:${(0x100 + at).toString(16)}::1`],
  ["/48", 8, (at: number) => `2001:db8:b:${(at * 0x100).toString(16)}::1`],
])("sixty accounts in sixty /64s of one %s hold %i units where one address holds two", async (_, held, addressOf) => {
  const tool = await shop.tool({ availableStock: 100 });
  const ends = await startAtOnce(tool, 60, addressOf, 0.1);
  expect(count(ends, "started")).toBe(held);
  expect(count(ends, "too-many-checkouts-here")).toBe(60 - held);
  expect(await startAtOnce(tool, 1, () => "2001:db8:c::1", 0.1)).toEqual(["started"]);
});

test("the hold limit counts an IPv6 /64 as one address and is scaled by LIMITS_PER_ADDRESS", async () => {
  const tool = await shop.tool({ availableStock: 100 });
  const start = async (address: string, perAddressFactor: number) => {
    const ctx = from(await shop.user(), address);
    const scaled = { ...ctx, store: { ...ctx.store, perAddressFactor } };
    return resultOf(startCheckout(scaled, { slug: tool.slug }));
  };
  expect(await start("2001:db8::1", 0.1)).toBe("started");
  expect(await start("2001:db8::2", 0.1)).toBe("started");
  expect(await start("2001:db8:0:0:9::3", 0.1)).toBe("too-many-checkouts-here");
  expect(await start("2001:db8:0:1::3", 0.1)).toBe("started");
  expect(await start("2001:db8::4", 0)).toBe("started");
});

test("an account that starts and closes checkouts too often is refused", async () => {
  const { slug, id } = await shop.tool();
  const buyer = await shop.user();
  for (let n = 0; n < 30; n++) {
    const { purchaseId } = await startPaidCheckout(buyer, { slug });
    await cancelCheckout(buyer, { purchaseId });
  }
  await expect(startPaidCheckout(buyer, { slug })).rejects.toMatchObject({ code: "checkouts-too-fast" });
  expect(await shop.stockOf(id)).toBe(5);
  shop.clock.advance(10 * MINUTE);
  await startPaidCheckout(buyer, { slug });
});

test("an account that starts too many checkouts in parallel is refused", async () => {
  const tools = await Promise.all(Array.from({ length: 45 }, () => shop.tool()));
  const buyer = await shop.user();
  await Promise.all(
    tools.map(async ({ slug }) => {
      const started = await startPaidCheckout(buyer, { slug }).catch(() => null);
      if (started) await cancelCheckout(buyer, { purchaseId: started.purchaseId });
    }),
  );
  for (const { slug } of tools) {
    const started = await startPaidCheckout(buyer, { slug }).catch(() => null);
    if (started) await cancelCheckout(buyer, { purchaseId: started.purchaseId });
  }
  expect(await shop.purchasesOf(buyer)).toHaveLength(30);
});

test("a buyer may replace their own checkout when the address is at its limit", async () => {
  const tool = await shop.tool({ availableStock: 100 });
  const { code } = await shop.coupon(tool.id);
  const crowd = await Promise.all(Array.from({ length: 20 }, () => shop.user()));
  const here = crowd.map((buyer) => from(buyer, "192.0.2.11"));
  for (const buyer of here) await startCheckout(buyer, { slug: tool.slug });
  const [first] = here;
  if (!first) throw new Error("nobody is here");
  expect(await startCheckout(first, { slug: tool.slug, coupon: code })).toMatchObject({
    amountPaise: 11_920,
  });
});

test("the network of a checkout is stored only while it is held", async () => {
  const tool = await shop.tool();
  const buyer = from(await shop.user(), "192.0.2.10");
  const { purchaseId } = await startPaidCheckout(buyer, { slug: tool.slug });
  expect((await shop.purchasesOf(buyer))[0]?.holdNetwork).toBe("192.0.2.10");
  await cancelCheckout(buyer, { purchaseId });
  const second = await startPaidCheckout(buyer, { slug: tool.slug });
  await confirmCheckout(buyer, await shop.payAtGateway(second.gatewayOrderId));
  const kept = await shop.db.select({ network: userPurchases.holdNetwork }).from(userPurchases);
  expect((await shop.purchasesOf(buyer)).map(({ holdNetwork }) => holdNetwork)).toEqual([null, null]);
  expect(kept.some(({ network }) => network === "192.0.2.10")).toBe(false);
});
