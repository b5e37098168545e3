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

/** A shop whose pages have these headers. */
function serve(headers: Record<string, string>) {
  const app = new Hono<AppEnv>();
  app.use((c, next) => {
    c.set("nonce", "bm9uY2U=");
    return next();
  });
  let rendered = 0;
  mountPages(app, {
    env: readEnv({ ORIGIN: "https://shop.example.com" }),
    contextFor: async () => ({ ctx: shop.visitor(), setCookies: [] }),
    visitorContext: () => shop.visitor(),
    render: async () => {
      rendered++;
      return new Response("page", { headers });
    },
    pageCache: createPageCache({ catalogueVersion: () => 1, headersFor: () => ({}) }),
    sharedPages: null,
    readerOf,
  });
  const ask = async (path: string) => {
    const scope = {
      ...{ requestId: "id", method: "GET", path, address: "203.0.113.7", log: shop.visitor().log },
      ...{ countRefusal: () => undefined, abort: () => undefined },
    };
    const answer = await runInRequestScope(scope, () => app.request(`https://shop.example.com${path}`));
    return answer.headers.get("cache-control");
  };
  return { ask, rendered: () => rendered };
}

test.each([
  ["a page that says nothing must be validated before a browser uses it again", {}, "private, no-cache"],
  ["a page may say more", { "cache-control": "public, max-age=300" }, "public, max-age=300"],
])("%s, stored or not", async (_rule, headers, expected) => {
  const { ask, rendered } = serve(headers);
  expect(await ask("/dashboard"), "rendered for each request").toBe(expected);
  expect(await ask("/"), "rendered to be stored").toBe(expected);
  expect(await ask("/"), "stored").toBe(expected);
  expect(rendered()).toBe(2);
});
