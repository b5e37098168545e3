import { expect, test } from "vitest";
import { routedPath } from "./paths.ts";

test.each([
  ["/healthz?x=1", "/healthz"],
  ["/x/../healthz", "/healthz"],
  ["/x/%2e%2e/webhooks/%72azorpay", "/webhooks/razorpay"],
  ["//x/healthz", "//x/healthz"],
  ["http://evil.example/checkout/start", "/checkout/start"],
  ["/a%zz", "/a%zz"],
  ["*", ""],
])("the request target %s has the path that the router sees: %s", (target, path) => {
  expect(routedPath(target)).toBe(path);
});
