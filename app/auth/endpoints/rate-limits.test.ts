import { createStaticHandler, RouterContextProvider } from "react-router";
import { expect, test } from "vitest";
import type { LimitName } from "#core/rate-limits/rate-limits.ts";
import { LIMITS } from "#core/rate-limits/rate-limits.ts";
import { ORIGIN, openAccountsShop, TestBrowser } from "#tests/fixtures/accounts-shop.ts";
import { shopContext } from "../../request/request-context.ts";
import { action as api } from "./auth-api.ts";

// One tenth of every limit per network address: two new accounts, two resets and ten sign-ins.
const FACTOR = 0.1;
const shop = await openAccountsShop({ perAddressFactor: FACTOR });
const { queryRoute } = createStaticHandler([{ id: "api", path: "/api/auth/*", action: api }]);
let emailCount = 0;
const nextEmail = () => `person${++emailCount}@example.com`;

async function post(path: string, browser: TestBrowser, body: object): Promise<Response> {
  const request = new Request(`${ORIGIN}/api/auth/${path}`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  const requestContext = new RouterContextProvider();
  requestContext.set(shopContext, shop.visitor(browser));
  const response: unknown = await queryRoute(request, { requestContext });
  if (!(response instanceof Response)) throw new Error("the endpoint returned no response");
  return response;
}

const triesOf = (limit: LimitName) => Math.round(LIMITS[limit].maxAttempts * FACTOR);

test.each<[string, LimitName, string, string]>([
  [
    "sign-in/email",
    "sign-in-address",
    "sign-in-rate-limited",
    "Too many failed sign-in attempts. Please try again later.",
  ],
  [
    "sign-up/email",
    "sign-up-address",
    "sign-up-rate-limited",
    "Too many new accounts from your network. Please try again in an hour.",
  ],
  [
    "request-password-reset",
    "reset-address",
    "reset-rate-limited",
    "Too many password resets. Please try again in an hour.",
  ],
])("the request %s above its limit is refused with what is limited and the seconds to wait", async (path, limit, code, message) => {
  const browser = new TestBrowser(`203.0.113.${LIMITS[limit].maxAttempts}`);
  const attempt = () => post(path, browser, { email: nextEmail(), password: "kettle-on" });
  for (let n = 0; n < triesOf(limit); n++) expect((await attempt()).status).not.toBe(429);
  const refused = await attempt();
  expect(refused.status).toBe(429);
  expect(await refused.json()).toMatchObject({ code, message });
  const { windowSeconds } = LIMITS[limit];
  expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(windowSeconds - 60);
  expect(Number(refused.headers.get("retry-after"))).toBeLessThanOrEqual(windowSeconds);
});
