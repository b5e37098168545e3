import { expect, test } from "vitest";
import type { Context } from "#core/context.ts";
import { redirectVisitor } from "./wanted-page.server.ts";

const contextWith = (headers: Record<string, string>) =>
  ({
    actor: { kind: "visitor" },
    browser: { headers: new Headers(headers) },
    ports: { authenticator: { hasSessionCookie: () => false } },
  }) as unknown as Context;
const navigation = contextWith({ "sec-fetch-mode": "navigate" });

test("a visitor who opens a page that needs an account is redirected, and the page is kept for a minute", async () => {
  const answer = await redirectVisitor(navigation, "/tools/chatgpt", {
    "cache-control": "private, no-store",
  });
  expect(answer.status).toBe(302);
  expect(answer.headers.get("location")).toBe("/");
  expect(answer.headers.get("cache-control")).toBe("private, no-store");
  expect(answer.headers.get("set-cookie")).toBe(
    "daypass.wanted-page=/tools/chatgpt; Path=/; Max-Age=60; SameSite=Lax",
  );
});

test.each([
  ["a page that is open loads its data again", contextWith({ "sec-fetch-mode": "cors" }), "/dashboard"],
  ["the caller is no browser", contextWith({}), "/dashboard"],
  ["the path has an attribute of a cookie", navigation, "/tools/a; Domain=example.com"],
  ["the path is longer than that of any page", navigation, `/tools/${"a".repeat(200)}`],
  ["the path is another site", navigation, "//evil.example"],
  ["the path has a line break", navigation, "/tools/a\r\nset-cookie: a=b"],
])("no wanted page is kept when %s", async (_why, ctx, path) => {
  const answer = await redirectVisitor(ctx, path);
  expect(answer.headers.get("location")).toBe("/");
  expect(answer.headers.has("set-cookie")).toBe(false);
});
