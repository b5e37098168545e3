import { RouterContextProvider } from "react-router";
import { afterAll, expect, test } from "vitest";
import type { Context } from "#core/context.ts";
import { openDeviceShop } from "#tests/fixtures/device-shop.ts";
import { shopContext } from "../../middleware/request-context.ts";
import { loader } from "./wallet-endpoint.ts";

const shop = await openDeviceShop();
afterAll(() => shop.close());

async function load(ctx: Context) {
  const url = new URL("/dashboard/wallet", ctx.store.origin);
  const context = new RouterContextProvider();
  context.set(shopContext, ctx);
  const response = await loader({
    request: new Request(url),
    url,
    context,
    params: {},
    pattern: "/dashboard/wallet",
  });
  return { status: response.status, headers: response.headers, body: await response.json() };
}

test("a signed-in account gets its own passes and no others, and no cache stores them", async () => {
  const [buyer, other] = [await shop.buyer(), await shop.user()];
  const { status, headers, body } = await load(buyer);
  expect([status, headers.get("cache-control")]).toEqual([200, "no-store"]);
  expect(body).toMatchObject({ wallet: { language: "en", passes: [{ toolName: "Chat" }] } });
  expect(buyer.actor).toMatchObject({ userId: body.userId });
  const ofOther = (await load(other)).body;
  expect(ofOther.wallet.passes).toEqual([]);
  expect(other.actor).toMatchObject({ userId: ofOther.userId });
});

test("a visitor is refused", async () => {
  const { status, body } = await load(shop.visitor());
  expect(status).toBe(401);
  expect(body).toMatchObject({ ok: false, code: "unauthenticated" });
  expect(body).not.toHaveProperty("wallet");
});
