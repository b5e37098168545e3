import { createStaticHandler, RouterContextProvider, type StaticHandlerContext } from "react-router";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Context } from "#core/context.ts";
import { type SandboxShop, startSandboxShop } from "../tests/fixtures/sandbox-shop.ts";
import * as resetPassword from "./auth/reset-password.tsx";
import * as offer from "./checkout/endpoints/offer.ts";
import * as status from "./checkout/endpoints/status.ts";
import { shopContext } from "./request/request-context.ts";
import { loadToolPage } from "./tools/tool-page.server.ts";

let shop: SandboxShop;
beforeAll(async () => {
  shop = await startSandboxShop();
  await shop.tool({ slug: "chatgpt" });
});
afterAll(() => shop.close());

const { query, queryRoute } = createStaticHandler([
  { id: "reset-password", path: "/reset-password", loader: resetPassword.loader },
  { id: "offer", path: "/checkout/offer", loader: offer.loader },
  { id: "status", path: "/checkout/status", loader: status.loader },
  {
    id: "tool",
    path: "/tools/:slug",
    loader: ({ request, params, context }) =>
      loadToolPage(context.get(shopContext), new URL(request.url), params.slug ?? ""),
  },
]);

function requestFor(ctx: Context, path: string) {
  const requestContext = new RouterContextProvider();
  requestContext.set(shopContext, { ...ctx, browser: { headers: new Headers(), ipAddress: "203.0.113.7" } });
  return [new Request(`http://shop.test${path}`), { requestContext }] as const;
}

async function load(ctx: Context, path: string): Promise<Response | StaticHandlerContext> {
  return query(...requestFor(ctx, path));
}

const MALFORMED: [string, string][] = [
  ["a NUL", "%00"],
  ["a NUL in the middle", "a%00b"],
  ["half of a surrogate pair", "%ED%A0%80"],
  ["bytes that are no UTF-8", "%E0%A4%A"],
  ["ten thousand characters", "x".repeat(10_000)],
];

describe.each(MALFORMED)("%s in the address", (_what, value) => {
  test("the address of a reset link with a malformed token shows the page of a used or expired link", async () => {
    const answer = await load(shop.visitor(), `/reset-password?token=${value}`);
    if (answer instanceof Response) throw new Error("the page has no data");
    expect([answer.statusCode, answer.errors]).toEqual([200, null]);
    expect(answer.loaderData["reset-password"]).toMatchObject({ usable: false });
  });

  test.each([
    "/tools/chatgpt?accessCode=",
    "/tools/chatgpt?sessionCode=",
    "/tools/chatgpt?server=",
    "/tools/",
  ])("a malformed address of a tool page never causes a server error: %s", async (path) => {
    for (const ctx of [shop.visitor(), await shop.user()]) {
      const answer = await load(ctx, `${path}${value}`);
      expect(answer instanceof Response ? answer.status : answer.statusCode).toBeLessThan(500);
    }
  });

  test.each([
    ["offer", "/checkout/offer?tool="],
    ["status", "/checkout/status?purchaseId="],
  ])("a malformed address of the checkout's %s is refused", async (routeId, path) => {
    const [request, options] = requestFor(await shop.user(), `${path}${value}`);
    const answer: unknown = await queryRoute(request, { ...options, routeId });
    if (!(answer instanceof Response)) throw new Error("the route returned no response");
    expect([404, 422]).toContain(answer.status);
  });
});
