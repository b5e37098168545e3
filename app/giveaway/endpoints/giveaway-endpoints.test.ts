import { RouterContextProvider } from "react-router";
import { afterAll, beforeEach, expect, test } from "vitest";
import type { Context } from "#core/context.ts";
import { openGiveawayShop } from "#tests/fixtures/giveaway-shop.ts";
import { shopContext } from "../../request/request-context.ts";
import { action, loader as claimLoader } from "./claim.ts";
import { loader, action as todayAction } from "./today.ts";

const shop = await openGiveawayShop();
afterAll(() => shop.close());

let slug: string;
beforeEach(async () => {
  await shop.db.execute("truncate giveaway_rounds, user_purchases, settings cascade");
  ({ slug } = await shop.tool());
  await shop.chooseGiveaway({ giveawayToolSlug: slug });
});

function argumentsFor<Pattern extends string>(ctx: Context, pattern: Pattern, init?: RequestInit) {
  const context = new RouterContextProvider();
  context.set(shopContext, ctx);
  const request = new Request(`http://shop.test${pattern}`, init);
  return { request, context, params: {}, pattern, url: new URL(request.url) };
}

const readToday = (ctx: Context) => loader(argumentsFor(ctx, "/giveaway/today"));
const claim = (ctx: Context, body: unknown, method = "POST") =>
  action(
    argumentsFor(ctx, "/giveaway/claim", {
      method,
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
    }),
  );

test("the giveaway of today and a claim are answered as JSON and never cached", async () => {
  const response = await readToday(shop.visitor());
  expect([response.status, response.headers.get("cache-control")]).toEqual([200, "no-store"]);
  const { giveaway } = await response.json();
  expect(giveaway).toMatchObject({ toolSlug: slug, state: "open", claim: null });
  const asha = await shop.user();
  const claimed = await claim(asha, { roundId: giveaway.roundId });
  expect([claimed.status, claimed.headers.get("cache-control")]).toEqual([200, "no-store"]);
  expect(await claimed.json()).toMatchObject({ ok: true, toolSlug: slug });
  expect((await (await readToday(asha)).json()).giveaway).toMatchObject({ state: "won" });
  expect((await (await readToday(shop.visitor())).json()).giveaway).toMatchObject({ state: "taken" });
});

test("each refusal of a claim has its status, its code and words for a person", async () => {
  const roundId = await shop.todaysRoundId();
  const refusal = async (ctx: Context, body: unknown) => {
    const response = await claim(ctx, body);
    const { code, message } = await response.json();
    return [response.status, code, message];
  };
  expect(await refusal(shop.visitor(), { roundId })).toEqual([
    401,
    "unauthenticated",
    "Please sign in to continue",
  ]);
  expect(await refusal(await shop.user("admin"), { roundId })).toEqual([
    403,
    "forbidden",
    "You are not allowed to do this.",
  ]);
  expect(await refusal(await shop.user(), { roundId: ["x"] })).toEqual([
    422,
    "invalid-input",
    "Please reload the page and try again.",
  ]);
  expect((await claim(await shop.user(), null)).status).toBe(422);
  await claim(await shop.user(), { roundId });
  expect(await refusal(await shop.user(), { roundId })).toEqual([
    409,
    "giveaway-taken",
    "Someone else was faster. Today’s pass has been claimed.",
  ]);
  await shop.chooseGiveaway({});
  expect(await refusal(await shop.user(), { roundId })).toEqual([
    404,
    "no-giveaway",
    "There is no giveaway today.",
  ]);
});

test("the giveaway endpoints refuse other methods", async () => {
  expect((await claim(shop.visitor(), {}, "PUT")).status).toBe(405);
  expect([claimLoader().status, todayAction().status]).toEqual([405, 405]);
});
