import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Hono } from "hono";
import { expect, onTestFinished, test } from "vitest";
import { isAllowedOrigin } from "./app.ts";
import { mountStaticFiles } from "./files.ts";
import type { AppEnv } from "./request-scope.ts";

const ours = { origin: "https://shop.example.com", extraOrigins: [] };
const post = (headers: Record<string, string>, path = "/checkout/start") =>
  isAllowedOrigin({ method: "POST", path, headers: new Headers(headers) }, ours);

test("a request with a safe method is allowed from every origin", () => {
  const headers = new Headers({ origin: "https://evil.example" });
  expect(isAllowedOrigin({ method: "GET", path: "/", headers }, ours)).toBe(true);
});

test.each<[string, Record<string, string>, boolean]>([
  ["our own page", { origin: "https://shop.example.com", cookie: "a=1" }, true],
  ["another site", { origin: "https://evil.example", cookie: "a=1" }, false],
  ["our host over plain http", { origin: "http://shop.example.com" }, false],
  ["a page with an opaque origin", { origin: "null" }, false],
  ["another site, known by fetch metadata only", { "sec-fetch-site": "cross-site", cookie: "a=1" }, false],
  ["a sibling host", { "sec-fetch-site": "same-site", cookie: "a=1" }, false],
  ["our page, known by fetch metadata only", { "sec-fetch-site": "same-origin", cookie: "a=1" }, true],
  ["a program without cookies", {}, true],
  ["a program with cookies and without an origin", { cookie: "a=1" }, false],
])("a post from %s is allowed or refused by its origin", (_, headers, allowed) => {
  expect(post(headers)).toBe(allowed);
});

test("the webhook is exempt from the origin check, and paths near it are not", () => {
  expect(post({ origin: "https://evil.example" }, "/webhooks/razorpay")).toBe(true);
  expect(post({ origin: "https://evil.example" }, "/webhooks/razorpay/more")).toBe(false);
  expect(post({ origin: "https://evil.example" }, "/sandbox-gateway/checkout/pay")).toBe(false);
});

test("a page of one of the shop's two local origins cannot write to the other", () => {
  const [origin, other] = ["http://localhost:3000", "http://127.0.0.1:3000"];
  const postTo = (target: string, from: string) => {
    const headers = new Headers({ host: new URL(target).host, origin: from });
    return isAllowedOrigin({ method: "POST", path: "/account", headers }, { origin, extraOrigins: [other] });
  };
  expect([postTo(origin, origin), postTo(other, other)]).toEqual([true, true]);
  expect([postTo(origin, other), postTo(other, origin)]).toEqual([false, false]);
});

test("the file .env of a shop is served from no folder", async () => {
  const folder = mkdtempSync(join(tmpdir(), "served-files-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  mkdirSync(join(folder, "build/client/assets"), { recursive: true });
  for (const place of [".", "build", "build/client", "build/client/assets"])
    writeFileSync(join(folder, place, ".env"), "RAZORPAY_KEY_SECRET=hunter2");
  writeFileSync(join(folder, "build/client/favicon.svg"), "<svg/>");
  const app = new Hono<AppEnv>();
  mountStaticFiles(app, join(folder, "build/client"));
  const read = async (path: string) => (await app.request(path)).text();
  expect(await read("/favicon.svg")).toBe("<svg/>");
  const steps = [
    "",
    "assets/",
    "assets/../",
    "assets/../../",
    "assets/%2e%2e/",
    "assets/..%2f..%2f..%2f",
    "/",
  ];
  for (const step of steps) expect(await read(`/${step}.env`)).not.toContain("hunter2");
});
