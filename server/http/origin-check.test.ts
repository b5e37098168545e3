import { expect, test } from "vitest";
import { isAllowedOrigin } from "./origin-check.ts";

const ours = ["https://shop.example.com"];
const post = (headers: Record<string, string>, path = "/checkout/start") =>
  isAllowedOrigin({ method: "POST", path, headers: new Headers(headers) }, ours);

test("reading is always allowed", () => {
  const headers = new Headers({ origin: "https://evil.example" });
  expect(isAllowedOrigin({ method: "GET", path: "/", headers }, ours)).toBe(true);
});

test.each<[string, Record<string, string>, boolean]>([
  ["our own page", { origin: "https://shop.example.com", cookie: "a=1" }, true],
  ["another site", { origin: "https://evil.example", cookie: "a=1" }, false],
  ["our host over plain http", { origin: "http://shop.example.com" }, false],
  ["a page that hides where it is", { origin: "null" }, false],
  ["another site, told by fetch metadata alone", { "sec-fetch-site": "cross-site", cookie: "a=1" }, false],
  ["a sibling host", { "sec-fetch-site": "same-site", cookie: "a=1" }, false],
  ["our page, told by fetch metadata alone", { "sec-fetch-site": "same-origin", cookie: "a=1" }, true],
  ["a program without cookies", {}, true],
  ["a program with cookies that says nothing", { cookie: "a=1" }, false],
])("a post from %s", (_, headers, allowed) => {
  expect(post(headers)).toBe(allowed);
});

test("the webhook proves itself by its signature instead", () => {
  expect(post({ origin: "https://evil.example" }, "/webhooks/razorpay")).toBe(true);
  expect(post({ origin: "https://evil.example" }, "/webhooks/razorpay/more")).toBe(false);
  expect(post({ origin: "https://evil.example" }, "/sandbox-gateway/checkout/pay")).toBe(false);
});
