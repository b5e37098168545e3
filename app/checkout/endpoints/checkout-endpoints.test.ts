import { RouterContextProvider } from "react-router";
import { uuidv7 } from "uuidv7";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Context } from "#core/context.ts";
import { DAY } from "#core/time.ts";
import { couponCodes } from "#db/tables/catalog.ts";
import { startTestShop, type TestShop } from "../../../tools/testing/shop.ts";
import { shopContext } from "../../middleware/request-context.ts";
import { wireCoupon, wireOffer, wireRefusal, wireStarted, wireStatus } from "./api-schemas.ts";
import * as cancel from "./cancel.ts";
import * as confirm from "./confirm.ts";
import * as couponAddress from "./coupon.ts";
import * as offer from "./offer.ts";
import * as start from "./start.ts";
import * as status from "./status.ts";

let shop: TestShop;
beforeAll(async () => {
  shop = await startTestShop();
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

const ask = {
  offer: (ctx: Context, tool: string) =>
    offer.loader(argsFor(ctx, "/checkout/offer", at(`checkout/offer?tool=${encodeURIComponent(tool)}`))),
  coupon: (ctx: Context, body: object) =>
    couponAddress.action(argsFor(ctx, "/checkout/coupon", posted("checkout/coupon", body))),
  start: (ctx: Context, body: object) =>
    start.action(argsFor(ctx, "/checkout/start", posted("checkout/start", body))),
  confirm: (ctx: Context, body: object) =>
    confirm.action(argsFor(ctx, "/checkout/confirm", posted("checkout/confirm", body))),
  cancel: (ctx: Context, body: object) =>
    cancel.action(argsFor(ctx, "/checkout/cancel", posted("checkout/cancel", body))),
  status: (ctx: Context, purchaseId: string) =>
    status.loader(argsFor(ctx, "/checkout/status", at(`checkout/status?purchaseId=${purchaseId}`))),
};

async function opened(answer: Promise<Response>) {
  const started = wireStarted.parse(await (await answer).json());
  if (started.kind !== "pay") throw new Error("There was nothing to pay.");
  return started;
}

test("a purchase over the wire: every answer is what the browser understands, and is never cached", async () => {
  const buyer = await shop.user();
  const tool = await shop.tool();

  const offered = await ask.offer(buyer, tool.name);
  expect(offered.headers.get("cache-control")).toBe("no-store");
  expect(wireOffer.parse(await offered.json())).toMatchObject({
    slug: tool.slug,
    state: "payable",
    signedIn: true,
  });

  const started = await opened(ask.start(buyer, { slug: tool.slug }));
  expect(started).toMatchObject({ amountPaise: 14_900, currency: "INR", email: buyer.actor.email });
  const again = await opened(ask.start(buyer, { slug: tool.slug }));
  expect(again.orderId).toBe(started.orderId);

  const waiting = wireStatus.parse(await (await ask.status(buyer, started.purchaseId)).json());
  expect(waiting).toEqual({ state: "waiting" });

  const proof = await shop.payAtGateway(started.orderId);
  const confirmed = wireStatus.parse(await (await ask.confirm(buyer, proof)).json());
  expect(confirmed.state).toBe("success");
  expect(wireOffer.parse(await (await ask.offer(buyer, tool.slug)).json())).toMatchObject({
    state: "already-owned",
    ownedUntil: expect.any(Date),
  });
});

test("closing gives the unit back and says so", async () => {
  const buyer = await shop.user();
  const tool = await shop.tool({ availableStock: 1 });
  const started = await opened(ask.start(buyer, { slug: tool.slug }));
  const held = wireOffer.parse(await (await ask.offer(buyer, tool.slug)).json());
  expect(held).toMatchObject({ availableStock: 0, resumable: true });
  const ended = wireStatus.parse(await (await ask.cancel(buyer, { purchaseId: started.purchaseId })).json());
  expect(ended).toEqual({ state: "ended" });
  expect(wireOffer.parse(await (await ask.offer(buyer, tool.slug)).json())).toMatchObject({
    availableStock: 1,
  });
});

async function coupon(toolId: string, facts: Partial<typeof couponCodes.$inferInsert> = {}) {
  const code = `C-${uuidv7().toUpperCase()}`;
  await shop.db.insert(couponCodes).values({ code, toolId, discountPercentage: 20, ...facts });
  return code;
}

test("a coupon over the wire: looked at by anybody, taken off the price, and known again after a reload", async () => {
  const buyer = await shop.user();
  const tool = await shop.tool();
  const code = await coupon(tool.id);
  for (const who of [shop.visitor(), buyer]) {
    const answer = await ask.coupon(who, { slug: tool.slug, code: ` ${code.toLowerCase()} ` });
    expect(answer.headers.get("cache-control")).toBe("no-store");
    expect(wireCoupon.parse(await answer.json())).toEqual({ code, discountPercentage: 20 });
  }
  const started = await opened(ask.start(buyer, { slug: tool.slug, coupon: code }));
  expect(started.amountPaise).toBe(11_920);
  expect(wireOffer.parse(await (await ask.offer(buyer, tool.slug)).json())).toMatchObject({
    heldCoupon: { code, discountPercentage: 20 },
    previousPassEndedAt: null,
  });
});

test("a coupon that leaves nothing to pay brings the pass in the answer", async () => {
  const buyer = await shop.user();
  const tool = await shop.tool();
  const code = await coupon(tool.id, { discountPercentage: 100 });
  const answer = await ask.start(buyer, { slug: tool.slug, coupon: code });
  const expiresAt = new Date(shop.clock.now().getTime() + 30 * DAY);
  expect(wireStarted.parse(await answer.json())).toMatchObject({ kind: "granted", expiresAt });
  expect(wireOffer.parse(await (await ask.offer(buyer, tool.slug)).json())).toMatchObject({
    state: "already-owned",
    ownedUntil: expiresAt,
  });
});

test.each<[string, Partial<typeof couponCodes.$inferInsert>, number, string]>([
  ["another tool's", {}, 404, "Invalid coupon code"],
  ["not active", { isActive: false }, 409, "This coupon is no longer active"],
  ["used up", { usageLimit: 2, usesTaken: 2 }, 409, "This coupon has reached its usage limit"],
  ["expired", { expiresAt: new Date("2026-11-01T00:00:00Z") }, 409, "This coupon has expired"],
])("a coupon that is %s is refused in its words, looked at or used", async (what, facts, status, message) => {
  const buyer = await shop.user();
  const tool = await shop.tool();
  const { id: toolId } = what === "another tool's" ? await shop.tool() : tool;
  const code = await coupon(toolId, facts);
  const looked = await ask.coupon(buyer, { slug: tool.slug, code });
  expect(looked.status).toBe(status);
  expect(wireRefusal.parse(await looked.json()).message).toBe(message);
  const used = wireRefusal.parse(await (await ask.start(buyer, { slug: tool.slug, coupon: code })).json());
  expect(used.code).toMatch(/^coupon-/);
});

test("a form is read as well as JSON", async () => {
  const buyer = await shop.user();
  const tool = await shop.tool();
  const body = new URLSearchParams({ slug: tool.slug });
  const request = at("checkout/start", { method: "POST", body });
  const answer = await start.action(argsFor(buyer, "/checkout/start", request));
  expect(answer.status).toBe(200);
});

test("refusals carry a status, the shop's code and words", async () => {
  const tool = await shop.tool();
  const buyer = await shop.user();
  const stranger = await shop.user();
  const started = await opened(ask.start(buyer, { slug: tool.slug }));
  const soldOut = await shop.tool({ availableStock: 0 });
  const byChat = await shop.tool({ contactOnly: true });
  const answers: [Promise<Response>, number, string][] = [
    [ask.start(shop.visitor(), { slug: tool.slug }), 401, "unauthenticated"],
    [ask.start(shop.visitor(), {}), 401, "unauthenticated"],
    [ask.confirm(shop.visitor(), {}), 401, "unauthenticated"],
    [ask.cancel(shop.visitor(), {}), 401, "unauthenticated"],
    [ask.status(shop.visitor(), ""), 401, "unauthenticated"],
    [ask.offer(shop.visitor(), "no such tool"), 404, "tool-not-found"],
    [ask.offer(shop.visitor(), ""), 422, "invalid-input"],
    [ask.start(buyer, {}), 422, "invalid-input"],
    [ask.coupon(buyer, { slug: "no-such-tool", code: "ANY" }), 404, "tool-not-found"],
    [ask.coupon(buyer, { slug: tool.slug }), 422, "invalid-input"],
    [ask.start(buyer, { slug: soldOut.slug }), 409, "tool-out-of-stock"],
    [ask.start(buyer, { slug: byChat.slug }), 409, "contact-only"],
    [ask.cancel(stranger, { purchaseId: started.purchaseId }), 404, "purchase-not-found"],
    [ask.status(stranger, started.purchaseId), 404, "purchase-not-found"],
    [
      ask.confirm(buyer, { orderId: started.orderId, paymentId: "pay_1", signature: "0" }),
      402,
      "payment-not-verified",
    ],
  ];
  for (const [pending, expected, code] of answers) {
    const answer = await pending;
    expect([answer.status, answer.headers.get("cache-control")]).toEqual([expected, "no-store"]);
    expect(wireRefusal.parse(await answer.json())).toMatchObject({ code });
  }
});

test("a fault of ours is logged and told without its details", async () => {
  const buyer = await shop.user();
  const logged: object[] = [];
  const log = { ...buyer.log, error: (facts: object) => void logged.push(facts) };
  const noClock = {
    now: (): Date => {
      throw new Error("secret detail");
    },
  };
  const answer = await ask.offer({ ...buyer, log, clock: noClock }, (await shop.tool()).slug);
  expect(answer.status).toBe(500);
  expect(await answer.text()).not.toContain("secret detail");
  expect(logged).toHaveLength(1);
});

test("the other method is refused", () => {
  for (const refuse of [
    couponAddress.loader,
    start.loader,
    confirm.loader,
    cancel.loader,
    offer.action,
    status.action,
  ]) {
    expect(refuse().status).toBe(405);
  }
});

test("what is asked for and cannot be read is refused, in plain words, and never becomes another purchase", async () => {
  const buyer = await shop.user();
  const { slug } = await shop.tool();
  for (const odd of [
    { option: ["30 Days"] },
    { option: 7 },
    { coupon: ["CODE"] },
    { coupon: {} },
    { slug: [slug] },
  ]) {
    const answer = await ask.start(buyer, { slug, ...odd });
    expect(answer.status, JSON.stringify(odd)).toBe(422);
    expect(wireRefusal.parse(await answer.json()).message).toMatch(
      /^(This option does not exist\.|Invalid coupon code|Tool not found)$/,
    );
  }
  expect(await shop.purchasesOf(buyer)).toEqual([]);
  const put = at("checkout/start", { method: "PUT", body: JSON.stringify({ slug }) });
  expect((await start.action(argsFor(buyer, "/checkout/start", put))).status).toBe(405);
  const blank = await ask.cancel(buyer, {});
  expect(wireRefusal.parse(await blank.json()).message).toBe("Purchase not found");
});
