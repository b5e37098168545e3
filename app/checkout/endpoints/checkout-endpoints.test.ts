import { createStaticHandler, RouterContextProvider } from "react-router";
import { uuidv7 } from "uuidv7";
import { afterAll, beforeAll, expect, test } from "vitest";
import * as z from "zod/mini";
import type { Context } from "#core/context.ts";
import { INVALID_REQUEST } from "#core/parse.ts";
import { addDays, DAY } from "#core/time.ts";
import { couponCodes } from "#db/tables/catalog.ts";
import { type SandboxShop, startSandboxShop } from "#tests/fixtures/sandbox-shop.ts";
import { readRefusal } from "../../connection/shop-api.ts";
import { shopContext } from "../../request/request-context.ts";
import { checkoutStatusSchema, couponSchema, offerSchema, startedCheckoutSchema } from "../checkout-api.ts";
import * as offer from "./offer.ts";
import * as postEndpoints from "./post-endpoints.ts";
import * as status from "./status.ts";

let shop: SandboxShop;
beforeAll(async () => {
  shop = await startSandboxShop();
});
afterAll(() => shop.close());

function argsFor<Pattern extends string>(ctx: Context, pattern: Pattern, request: Request) {
  const context = new RouterContextProvider();
  context.set(shopContext, ctx);
  return { request, context, params: {}, pattern, url: new URL(request.url) };
}
const at = (path: string, init?: RequestInit) => new Request(`http://shop.test/${path}`, init);
const posted = (path: string, body: object) =>
  at(path, { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) });

const call = {
  offer: (ctx: Context, tool: string) =>
    offer.loader(argsFor(ctx, "/checkout/offer", at(`checkout/offer?tool=${encodeURIComponent(tool)}`))),
  coupon: (ctx: Context, body: object) =>
    postEndpoints.action(argsFor(ctx, "/checkout/coupon", posted("checkout/coupon", body))),
  start: (ctx: Context, body: object) =>
    postEndpoints.action(
      argsFor(ctx, "/checkout/start", posted("checkout/start", { ...body, reads: "gatewayOrderId" })),
    ),
  startAsOlderPage: (ctx: Context, body: object) =>
    postEndpoints.action(argsFor(ctx, "/checkout/start", posted("checkout/start", body))),
  confirm: (ctx: Context, body: object) =>
    postEndpoints.action(argsFor(ctx, "/checkout/confirm", posted("checkout/confirm", body))),
  cancel: (ctx: Context, body: object) =>
    postEndpoints.action(argsFor(ctx, "/checkout/cancel", posted("checkout/cancel", body))),
  status: (ctx: Context, purchaseId: string) =>
    status.loader(argsFor(ctx, "/checkout/status", at(`checkout/status?purchaseId=${purchaseId}`))),
};

async function toPay(response: Promise<Response>) {
  const started = startedCheckoutSchema.parse(await (await response).json());
  if (started.kind !== "pay") throw new Error("there is nothing to pay");
  return started;
}

test("each response of a purchase matches the browser's schema and is never cached", async () => {
  const buyer = await shop.user();
  const tool = await shop.tool();

  const offered = await call.offer(buyer, tool.name);
  expect(offered.headers.get("cache-control")).toBe("no-store");
  expect(offerSchema.parse(await offered.json())).toMatchObject({
    slug: tool.slug,
    state: "payable",
    signedIn: true,
  });

  const started = await toPay(call.start(buyer, { slug: tool.slug }));
  expect(started).toMatchObject({ amountPaise: 14_900, currency: "INR", email: buyer.actor.email });
  const again = await toPay(call.start(buyer, { slug: tool.slug }));
  expect(again.gatewayOrderId).toBe(started.gatewayOrderId);

  const waiting = checkoutStatusSchema.parse(await (await call.status(buyer, started.purchaseId)).json());
  expect(waiting).toEqual({ state: "waiting" });

  const proof = await shop.payAtGateway(started.gatewayOrderId);
  const confirmed = checkoutStatusSchema.parse(await (await call.confirm(buyer, proof)).json());
  const [bought] = await shop.purchasesOf(buyer);
  const { orderNumber, startsAt } = bought ?? {};
  expect(confirmed).toMatchObject({ state: "success", orderNumber, startsAt });
  expect(offerSchema.parse(await (await call.offer(buyer, tool.slug)).json())).toMatchObject({
    state: "already-owned",
    ownedUntil: expect.any(Date),
  });
});

test("cancelling a checkout releases its stock and responds with the status ended", async () => {
  const buyer = await shop.user();
  const tool = await shop.tool({ availableStock: 1 });
  const started = await toPay(call.start(buyer, { slug: tool.slug }));
  const held = offerSchema.parse(await (await call.offer(buyer, tool.slug)).json());
  expect(held).toMatchObject({ availableStock: 0, openCheckout: { declined: false } });
  const ended = checkoutStatusSchema.parse(
    await (await call.cancel(buyer, { purchaseId: started.purchaseId })).json(),
  );
  expect(ended).toEqual({ state: "ended" });
  expect(offerSchema.parse(await (await call.offer(buyer, tool.slug)).json())).toMatchObject({
    availableStock: 1,
  });
});

test("the offer of a pass in its last days says that it can be renewed, and the start takes the mark", async () => {
  const buyer = await shop.user();
  const tool = await shop.tool();
  const { slug } = tool;
  const end = addDays(shop.clock.now(), 8);
  await shop.pass(buyer, { toolId: tool.id, toolName: tool.name, expiresAt: end });
  const readOffer = async () => offerSchema.parse(await (await call.offer(buyer, slug)).json());
  expect(await readOffer()).toMatchObject({
    state: "already-owned",
    ownedUntil: end,
    canRenew: false,
    renewableFrom: addDays(end, -7),
  });
  const early = await call.start(buyer, { slug, renewal: true });
  expect([early.status, (await early.json()).code]).toEqual([409, "renewal-too-early"]);
  shop.clock.advance(DAY);
  expect(await readOffer()).toMatchObject({ canRenew: true, renewedUntil: null });
  expect((await call.start(buyer, { slug })).status).toBe(409);
  const { gatewayOrderId } = await toPay(call.start(buyer, { slug, renewal: true }));
  const paid = await call.confirm(buyer, await shop.payAtGateway(gatewayOrderId));
  const expiresAt = addDays(end, 30);
  const renewed = { state: "success", orderNumber: expect.any(String), startsAt: end, expiresAt };
  expect(checkoutStatusSchema.parse(await paid.json())).toEqual(renewed);
  expect(await readOffer()).toMatchObject({ canRenew: false, ownedUntil: end, renewedUntil: expiresAt });
});

async function coupon(toolId: string, facts: Partial<typeof couponCodes.$inferInsert> = {}) {
  const code = `C-${uuidv7().toUpperCase()}`;
  await shop.db.insert(couponCodes).values({ code, toolId, discountPercentage: 20, ...facts });
  return code;
}

test("a coupon can be checked by anybody, lowers the price, and is part of the offer after a reload", async () => {
  const buyer = await shop.user();
  const tool = await shop.tool();
  const code = await coupon(tool.id);
  for (const who of [shop.visitor(), buyer]) {
    const response = await call.coupon(who, { slug: tool.slug, code: ` ${code.toLowerCase()} ` });
    expect(response.headers.get("cache-control")).toBe("no-store");
    expect(couponSchema.parse(await response.json())).toEqual({ code, discountPercentage: 20 });
  }
  const started = await toPay(call.start(buyer, { slug: tool.slug, coupon: code }));
  expect(started.amountPaise).toBe(11_920);
  expect(offerSchema.parse(await (await call.offer(buyer, tool.slug)).json())).toMatchObject({
    heldCoupon: { code, discountPercentage: 20 },
    previousPassEndedAt: null,
  });
});

test("a coupon that leaves nothing to pay makes the start respond with the pass", async () => {
  const buyer = await shop.user();
  const tool = await shop.tool();
  const code = await coupon(tool.id, { discountPercentage: 100 });
  const response = await call.start(buyer, { slug: tool.slug, coupon: code });
  const expiresAt = new Date(shop.clock.now().getTime() + 30 * DAY);
  expect(startedCheckoutSchema.parse(await response.json())).toMatchObject({
    kind: "nothing-to-pay",
    expiresAt,
  });
  expect(offerSchema.parse(await (await call.offer(buyer, tool.slug)).json())).toMatchObject({
    state: "already-owned",
    ownedUntil: expiresAt,
  });
});

/** The schema by which the pages of 0.2.0 read the response of checkout/start. */
const startedOfOlderPage = z.discriminatedUnion("kind", [
  z.object({
    kind: z.literal("pay"),
    purchaseId: z.string(),
    orderId: z.string(),
    keyId: z.string(),
    scriptUrl: z.string(),
    amountPaise: z.int().check(z.nonnegative()),
    currency: z.string(),
    toolName: z.string(),
    email: z.string(),
    holdSeconds: z.int(),
  }),
  z.object({
    kind: z.literal("granted"),
    purchaseId: z.string(),
    orderNumber: z.optional(z.string()),
    startsAt: z.optional(z.iso.datetime()),
    expiresAt: z.iso.datetime(),
  }),
]);

test("a page that was opened before the upgrade finishes paying, and reads that there is nothing to pay", async () => {
  const buyer = await shop.user();
  const tool = await shop.tool();
  const request = { slug: tool.slug, option: null, coupon: null };
  const started = startedOfOlderPage.parse(await (await call.startAsOlderPage(buyer, request)).json());
  if (started.kind !== "pay") throw new Error("there is nothing to pay");
  const { gatewayPaymentId: paymentId, signature } = await shop.payAtGateway(started.orderId);
  const confirmed = await call.confirm(buyer, { orderId: started.orderId, paymentId, signature });
  expect(checkoutStatusSchema.parse(await confirmed.json())).toMatchObject({ state: "success" });

  const other = await shop.tool();
  const free = { ...request, slug: other.slug, coupon: await coupon(other.id, { discountPercentage: 100 }) };
  const granted = startedOfOlderPage.parse(await (await call.startAsOlderPage(buyer, free)).json());
  expect(granted).toMatchObject({ kind: "granted" });
});

test("a page reads what a shop of 0.2.0 answers to the start of a checkout", async () => {
  const [buyer, tool] = [await shop.user(), await shop.tool()];
  const request = { slug: tool.slug, option: null, coupon: null };
  const { gatewayOrderId, ...older } = await (await call.startAsOlderPage(buyer, request)).json();
  expect(startedCheckoutSchema.parse(older)).toMatchObject({ kind: "pay", gatewayOrderId });
  const pass = { purchaseId: older.purchaseId, expiresAt: "2027-01-01T00:00:00.000Z" };
  const granted = startedCheckoutSchema.parse({ kind: "granted", ...pass });
  expect(granted).toMatchObject({ kind: "nothing-to-pay", purchaseId: older.purchaseId });
});

test.each<[string, Partial<typeof couponCodes.$inferInsert>, number, string]>([
  ["for another tool", {}, 404, "Invalid coupon code"],
  ["not active", { isActive: false }, 409, "This coupon is no longer active"],
  ["used up", { usageLimit: 2, usesTaken: 2 }, 409, "This coupon has reached its usage limit"],
  ["expired", { expiresAt: new Date("2026-11-01T00:00:00Z") }, 409, "This coupon has expired"],
])("a coupon that is %s is refused with its own message when it is checked, and when it is used", async (what, facts, status, message) => {
  const buyer = await shop.user();
  const tool = await shop.tool();
  const { id: toolId } = what === "for another tool" ? await shop.tool() : tool;
  const code = await coupon(toolId, facts);
  const checked = await call.coupon(buyer, { slug: tool.slug, code });
  expect(checked.status).toBe(status);
  expect(readRefusal(await checked.json())?.message).toBe(message);
  const used = readRefusal(await (await call.start(buyer, { slug: tool.slug, coupon: code })).json());
  expect(used?.code).toMatch(/^coupon-/);
});

test("each post route reaches its own operation through the router", async () => {
  const paths = ["checkout/coupon", "checkout/start", "checkout/confirm", "checkout/cancel"];
  const { queryRoute } = createStaticHandler([
    {
      id: "root",
      path: "",
      children: paths.map((path) => ({ id: path, path, action: postEndpoints.action })),
    },
  ]);
  const codes = paths.map(async (path) => {
    const requestContext = new RouterContextProvider();
    requestContext.set(shopContext, shop.visitor());
    const response: unknown = await queryRoute(posted(path, { slug: "no-such-tool", code: "ANY" }), {
      routeId: path,
      requestContext,
    });
    if (!(response instanceof Response)) throw new Error("the route returned no response");
    return readRefusal(await response.json())?.code;
  });
  expect(await Promise.all(codes)).toEqual([
    "tool-not-found",
    "unauthenticated",
    "unauthenticated",
    "unauthenticated",
  ]);
});

test("a posted form is accepted as well as JSON", async () => {
  const buyer = await shop.user();
  const tool = await shop.tool();
  const body = new URLSearchParams({ slug: tool.slug });
  const request = at("checkout/start", { method: "POST", body });
  const response = await postEndpoints.action(argsFor(buyer, "/checkout/start", request));
  expect(response.status).toBe(200);
});

test("each refusal has its HTTP status, its error code and a message", async () => {
  const tool = await shop.tool();
  const buyer = await shop.user();
  const stranger = await shop.user();
  const started = await toPay(call.start(buyer, { slug: tool.slug }));
  const soldOut = await shop.tool({ availableStock: 0 });
  const byChat = await shop.tool({ contactOnly: true });
  const responses: [Promise<Response>, number, string][] = [
    [call.start(shop.visitor(), { slug: tool.slug }), 401, "unauthenticated"],
    [call.start(shop.visitor(), {}), 401, "unauthenticated"],
    [call.confirm(shop.visitor(), {}), 401, "unauthenticated"],
    [call.cancel(shop.visitor(), {}), 401, "unauthenticated"],
    [call.status(shop.visitor(), ""), 401, "unauthenticated"],
    [call.offer(shop.visitor(), "no such tool"), 404, "tool-not-found"],
    [call.offer(shop.visitor(), ""), 422, "invalid-input"],
    [call.start(buyer, {}), 422, "invalid-input"],
    [call.coupon(buyer, { slug: "no-such-tool", code: "ANY" }), 404, "tool-not-found"],
    [call.coupon(buyer, { slug: tool.slug }), 422, "invalid-input"],
    [call.start(buyer, { slug: soldOut.slug }), 409, "tool-out-of-stock"],
    [call.start(buyer, { slug: byChat.slug }), 409, "contact-only"],
    [call.cancel(stranger, { purchaseId: started.purchaseId }), 404, "purchase-not-found"],
    [call.status(stranger, started.purchaseId), 404, "purchase-not-found"],
    [
      call.confirm(buyer, {
        gatewayOrderId: started.gatewayOrderId,
        gatewayPaymentId: "pay_1",
        signature: "0",
      }),
      402,
      "payment-not-verified",
    ],
  ];
  for (const [pending, expected, code] of responses) {
    const response = await pending;
    expect([response.status, response.headers.get("cache-control")]).toEqual([expected, "no-store"]);
    expect(readRefusal(await response.json())).toMatchObject({ code });
  }
});

test("an internal error is logged, and its response holds no details", async () => {
  const buyer = await shop.user();
  const logged: object[] = [];
  const log = { ...buyer.log, error: (facts: object) => void logged.push(facts) };
  const noClock = {
    now: (): Date => {
      throw new Error("secret detail");
    },
  };
  const response = await call.offer({ ...buyer, log, clock: noClock }, (await shop.tool()).slug);
  expect(response.status).toBe(500);
  expect(await response.text()).not.toContain("secret detail");
  expect(logged).toHaveLength(1);
});

test("each endpoint refuses the other method", () => {
  for (const refuse of [postEndpoints.loader, offer.action, status.action]) {
    expect(refuse().status).toBe(405);
  }
});

test("malformed input is refused with a message for people, and never becomes another purchase", async () => {
  const buyer = await shop.user();
  const { slug } = await shop.tool();
  for (const odd of [
    { option: ["30 Days"] },
    { option: 7 },
    { coupon: ["CODE"] },
    { coupon: {} },
    { slug: [slug] },
  ]) {
    const response = await call.start(buyer, { slug, ...odd });
    expect(response.status, JSON.stringify(odd)).toBe(422);
    expect(readRefusal(await response.json())?.message).toMatch(
      /^(This option does not exist\.|Invalid coupon code|Tool not found)$/,
    );
  }
  expect(await shop.purchasesOf(buyer)).toEqual([]);
  const put = at("checkout/start", { method: "PUT", body: JSON.stringify({ slug }) });
  expect((await postEndpoints.action(argsFor(buyer, "/checkout/start", put))).status).toBe(405);
  const blank = await call.cancel(buyer, {});
  expect(readRefusal(await blank.json())?.message).toBe("Purchase not found");
  for (const [body, missing] of [
    [{}, ["gatewayOrderId", "gatewayPaymentId", "signature"]],
    [{ gatewayOrderId: "order_1", gatewayPaymentId: "pay_1", signature: "" }, ["signature"]],
  ] as const) {
    const unproved = await call.confirm(buyer, body);
    expect(unproved.status).toBe(422);
    const refusal: { message: string; fields: object } = await unproved.json();
    expect(Object.keys(refusal.fields)).toEqual(missing);
    expect(refusal.message).toBe(INVALID_REQUEST);
  }
});
