import { expect, test } from "vitest";
import { type HeaderOptions, securityHeaders } from "./security-headers.ts";

const sandbox: HeaderOptions = {
  inline: { scripts: ["'nonce-bm9uY2U='"], styles: ["'nonce-bm9uY2U='"] },
  https: true,
  gatewayHosts: false,
  providerOrigin: null,
  videoUrl: null,
  development: false,
};
const real: HeaderOptions = { ...sandbox, gatewayHosts: true };

/** The sources of each directive. */
function policyOf(options: HeaderOptions): Record<string, string[]> {
  const policy = securityHeaders(options)["content-security-policy"] ?? "";
  const directives = policy.split("; ").map((directive) => directive.split(" "));
  return Object.fromEntries(directives.map(([name, ...sources]) => [name, sources]));
}

test("the policy with the real gateway allows the hosts of its checkout and nothing else", () => {
  const [closed, open] = [policyOf(sandbox), policyOf(real)];
  const opened = Object.entries(open).map(([name, sources]) => [
    name,
    sources.filter((source) => !closed[name]?.includes(source)),
  ]);
  expect(Object.fromEntries(opened.filter(([, sources]) => sources?.length))).toEqual({
    "script-src": ["https://checkout.razorpay.com", "https://cdn.razorpay.com"],
    "connect-src": [
      "https://api.razorpay.com",
      "https://lumberjack.razorpay.com",
      "https://lumberjack-cx.razorpay.com",
      "https://lumberjack-metrics.razorpay.com",
    ],
    "frame-src": ["https://api.razorpay.com"],
    "form-action": ["https://api.razorpay.com"],
  });
  expect(Object.keys(open)).toEqual(Object.keys(closed));
});

test("the policy with a provider of identities allows requests to its origin, and nothing else", () => {
  const providerOrigin = "https://accounts.google.com";
  const closed = policyOf(sandbox);
  expect(policyOf({ ...sandbox, providerOrigin })).toEqual({
    ...closed,
    "connect-src": [...(closed["connect-src"] ?? []), providerOrigin],
  });
});

test("no header names a host of the real gateway when it is not used", () => {
  expect(Object.values(securityHeaders(sandbox)).join()).not.toContain("razorpay");
});

test("only the frame of the gateway may use the browser's payment API", () => {
  expect(securityHeaders(real)["permissions-policy"]).toContain('payment=(self "https://api.razorpay.com")');
  expect(securityHeaders(sandbox)["permissions-policy"]).toContain("payment=()");
});

test("scripts run only with the request's nonce or from a named host", () => {
  for (const options of [sandbox, real, { ...real, development: true }]) {
    const scripts = policyOf(options)["script-src"] ?? [];
    expect(scripts).toContain("'nonce-bm9uY2U='");
    expect(scripts.join(" ")).not.toMatch(/unsafe|\*| https:(?!\/\/)/);
  }
});

test("a demo video from the owner's own host may be embedded", () => {
  const videoUrl = "https://Video.example.com:8443/embed/1?a=b";
  const origin = "https://video.example.com:8443";
  expect(policyOf({ ...sandbox, videoUrl })).toEqual({
    ...policyOf(sandbox),
    "frame-src": [...(policyOf(sandbox)["frame-src"] ?? []), origin],
  });
});

test.each([
  "http://video.example.com/1",
  "javascript:alert(1)",
  "data:text/html,hello",
  "https://*/video",
  "https://a;sandbox/video",
  "https://www.youtube.com/embed/1",
  "no address",
])("a demo video that must not, or need not, be allowed leaves the policy as it is: %s", (videoUrl) => {
  expect(policyOf({ ...sandbox, videoUrl })).toEqual(policyOf(sandbox));
});
