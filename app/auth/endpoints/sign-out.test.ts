import { RouterContextProvider } from "react-router";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Context } from "#core/context.ts";
import { type SandboxShop, startSandboxShop } from "#tests/fixtures/sandbox-shop.ts";
import { shopContext } from "../../request/request-context.ts";
import { loader } from "./sign-out.ts";

let shop: SandboxShop;
beforeAll(async () => {
  shop = await startSandboxShop();
});
afterAll(() => shop.close());

function open(ctx: Context): Response {
  const context = new RouterContextProvider();
  context.set(shopContext, ctx);
  const request = new Request("http://shop.test/auth/sign-out");
  return loader({ request, context, params: {}, pattern: "/auth/sign-out", url: new URL(request.url) });
}

test("opening the address of a sign-out signs nobody out and leads a signed-in user to the dashboard", async () => {
  expect(open(shop.visitor()).headers.get("location")).toBe("/");
  expect(open(await shop.user()).headers.get("location")).toBe("/dashboard");
});
