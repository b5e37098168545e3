import { afterAll, beforeAll, expect, test } from "vitest";
import { startPaidCheckout } from "#tests/fixtures/open-test-shop.ts";
import { type SandboxShop, startSandboxShop } from "#tests/fixtures/sandbox-shop.ts";
import { addDays } from "../time.ts";
import { confirmCheckout, refreshCheckoutStatus } from "./checkout-status.server.ts";
import { getOffer } from "./get-offer.server.ts";

let shop: SandboxShop;
beforeAll(async () => {
  shop = await startSandboxShop();
});
afterAll(() => shop.close());

test("an offer is found by slug, by name, and by slug in another letter case", async () => {
  const shown = {
    features: ["Templates", "Icons", "Fonts", "Photos", "Brand kit"],
    worksOn: ["laptop" as const],
  };
  const tool = await shop.tool({ slug: "design-kit", name: "Design Kit", ...shown });
  for (const wanted of ["design-kit", "Design Kit", "DESIGN-KIT"]) {
    expect(await getOffer(shop.visitor(), { tool: wanted })).toMatchObject({
      slug: tool.slug,
      ...shown,
      state: "payable",
      gateway: "sandbox",
      signedIn: false,
      ownedUntil: null,
      options: [{ label: "30 Days", pricePaise: 14_900 }],
    });
  }
});

test.each([
  ["contact-only", { contactOnly: true }],
  ["free", { pricePaise: 0 }],
] as const)("a tool that is %s says so", async (state, facts) => {
  const tool = await shop.tool(facts);
  expect((await getOffer(shop.visitor(), { tool: tool.slug })).state).toBe(state);
});

test("the offer of a shop without a gateway says that payments are not set up", async () => {
  const tool = await shop.tool();
  const visitor = shop.visitor();
  const closed = { ...visitor, ports: { ...visitor.ports, gateway: null } };
  expect(await getOffer(closed, { tool: tool.slug })).toMatchObject({
    state: "payments-not-set-up",
    gateway: null,
  });
});

test("the buyer who holds the last unit may pay, others see the tool as sold out, and after paying the buyer sees the pass's end", async () => {
  const tool = await shop.tool({ availableStock: 1 });
  const buyer = await shop.user();
  const { gatewayOrderId, purchaseId } = await startPaidCheckout(buyer, { slug: tool.slug });
  expect(await getOffer(buyer, { tool: tool.slug })).toMatchObject({
    availableStock: 0,
    heldOption: "30 Days",
    openCheckout: { amountPaise: 14_900, startedAt: shop.clock.now(), declined: false },
  });
  const other = await shop.user();
  expect(await getOffer(other, { tool: tool.slug })).toMatchObject({
    availableStock: 0,
    heldOption: null,
    openCheckout: null,
  });
  await shop.failAtGateway(gatewayOrderId);
  await refreshCheckoutStatus(buyer, { purchaseId });
  expect(await getOffer(buyer, { tool: tool.slug })).toMatchObject({ openCheckout: { declined: true } });
  await confirmCheckout(buyer, await shop.payAtGateway(gatewayOrderId));
  expect(await getOffer(buyer, { tool: tool.slug })).toMatchObject({
    state: "already-owned",
    openCheckout: null,
    ownedUntil: addDays(shop.clock.now(), 30),
  });
});

test("a tool that is not on sale has no offer", async () => {
  const hidden = await shop.tool({ isActive: false });
  const deleted = await shop.tool({ deletedAt: shop.clock.now() });
  for (const wanted of [hidden.slug, deleted.slug, "no-such-tool"]) {
    await expect(getOffer(shop.visitor(), { tool: wanted })).rejects.toMatchObject({
      code: "tool-not-found",
    });
  }
  await expect(getOffer(shop.visitor(), { tool: " " })).rejects.toMatchObject({ code: "invalid-input" });
});
