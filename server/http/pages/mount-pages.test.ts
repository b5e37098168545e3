import { Hono } from "hono";
import { expect, test } from "vitest";
import { readerOf } from "#app/middleware/page-reader.server.ts";
import { systemClock } from "#core/time.ts";
import { freshDatabase } from "../../../tools/testing/database.ts";
import { openTestShop } from "../../../tools/testing/open-test-shop.ts";
import { readEnv } from "../../env.ts";
import { type AppEnv, runInRequestScope } from "../request-scope.ts";
import { mountPages } from "./mount-pages.ts";
import { createPageCache } from "./page-cache.ts";

const shop = openTestShop(await freshDatabase(), { clock: systemClock });

/** A shop whose pages are like this one. */
function serve(page: { headers?: Record<string, string>; status?: number; body?: string }) {
  const app = new Hono<AppEnv>();
  app.use((c, next) => {
    c.set("nonce", "bm9uY2U=");
    return next();
  });
  let rendered = 0;
  const paths: string[] = [];
  mountPages(app, {
    env: readEnv({ ORIGIN: "https://shop.example.com" }),
    contextFor: async () => ({ ctx: shop.visitor(), setCookies: [] }),
    visitorContext: () => shop.visitor(),
    render: async ({ request }) => {
      rendered++;
      paths.push(new URL(request.url).pathname);
      return new Response(page.body ?? "page", page);
    },
    pageCache: createPageCache({ catalogueVersion: () => 1, headersFor: () => ({}) }),
    sharedPages: null,
    readerOf,
  });
  const ask = (path: string, method = "GET") => {
    const scope = {
      ...{ requestId: "id", method, path, address: "203.0.113.7", log: shop.visitor().log },
      ...{ countRefusal: () => undefined, abort: () => undefined },
    };
    return runInRequestScope(scope, async () => app.request(`https://shop.example.com${path}`, { method }));
  };
  return { ask, paths, rendered: () => rendered };
}

test.each([
  ["a page that says nothing must be validated before a browser uses it again", {}, "private, no-cache"],
  ["a page may say more", { "cache-control": "public, max-age=300" }, "public, max-age=300"],
])("%s, stored or not", async (_rule, headers, expected) => {
  const { ask, rendered } = serve({ headers });
  const cacheControl = async (path: string) => (await ask(path)).headers.get("cache-control");
  expect(await cacheControl("/dashboard"), "rendered for each request").toBe(expected);
  expect(await cacheControl("/"), "rendered to be stored").toBe(expected);
  expect(await cacheControl("/"), "stored").toBe(expected);
  expect(rendered()).toBe(2);
});

test("every page says that it depends on the cookies, stored or not", async () => {
  const { ask } = serve({});
  for (const path of ["/dashboard", "/", "/"])
    expect((await ask(path)).headers.get("vary"), path).toMatch(/^Cookie\b/);
});

test("a POST request that the router refuses is told which methods are allowed", async () => {
  const page = serve({ status: 405, headers: { "content-type": "text/html" } });
  const refused = await page.ask("/shop/canva", "POST");
  expect([refused.status, refused.headers.get("allow"), await refused.text()]).toEqual([
    405,
    "GET, HEAD",
    "page",
  ]);
  const body = '{"message":"Unexpected Server Error"}';
  const endpoint = serve({ status: 405, body, headers: { "content-type": "application/json" } });
  const answer = await endpoint.ask("/readyz", "POST");
  expect([answer.status, answer.headers.get("allow")]).toEqual([405, "GET"]);
  expect(await answer.json()).toMatchObject({ message: "Only GET is answered here." });
  const ownAnswer = serve({ status: 405, body, headers: { allow: "POST", "content-type": "text/plain" } });
  expect((await ownAnswer.ask("/admin/catalogue")).headers.get("allow")).toBe("POST");
});

test("the router gets no path that it cannot decode", async () => {
  const { ask, paths } = serve({});
  for (const path of ["/%zz", "/tools/%ED%A0%80", "/x%ff/%41", "/tools/%F0%9F%98%80"]) await ask(path);
  expect(paths).toEqual(["/%25zz", "/tools/%25ED%25A0%2580", "/x%25ff/%2541", "/tools/%F0%9F%98%80"]);
});
