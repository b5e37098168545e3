import { Hono } from "hono";
import { expect, test, vi } from "vitest";
import type { Context } from "#core/context.ts";
import { systemClock } from "#core/time.ts";
import { DatabaseUnavailableError } from "#db/database-unavailable.ts";
import { freshDatabase } from "#tests/database/database.ts";
import { openTestShop } from "#tests/fixtures/open-test-shop.ts";
import { readEnv } from "../env.ts";
import { createPageCache } from "./page-cache.ts";
import { addCookies, mountPages, type PageParts, type PageRequest, tolerateUnknownActor } from "./pages.ts";
import { type AppEnv, runInRequestScope } from "./request-scope.ts";

const shop = openTestShop(await freshDatabase(), { clock: systemClock });

/** A shop whose pages are like this one. */
function serve(page: { headers?: Record<string, string>; status?: number; body?: string }) {
  const app = new Hono<AppEnv>();
  app.use((c, next) => {
    c.set("nonce", "bm9uY2U=");
    return next();
  });
  const rendered: PageRequest[] = [];
  const parts: PageParts = {
    env: readEnv({ ORIGIN: "https://shop.example.com" }),
    contextFor: async () => ({ ctx: shop.system(), setCookies: ["renewed=1"] }),
    visitorContext: () => shop.visitor(),
    render: async (request) => {
      rendered.push(request);
      request.showsVideo("https://video.example.com/1");
      return new Response(page.body ?? "page", page);
    },
    pageCache: createPageCache(() => 1),
  };
  mountPages(app, parts, (_inline, videoUrl) => ({ "x-video": videoUrl ?? "none" }));
  const ask = (path: string, { method = "GET", headers = {}, signal = null }: RequestInit = {}) => {
    const scope = {
      requestId: "id",
      method,
      path,
      address: "203.0.113.7",
      language: "en" as const,
      log: shop.visitor().log,
      countRefusal: () => undefined,
      abort: () => undefined,
    };
    return runInRequestScope(scope, async () =>
      app.request(`https://shop.example.com${path}`, { method, headers, signal }),
    );
  };
  return { ask, rendered };
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
  expect(rendered).toHaveLength(2);
});

test("every page says that it depends on the cookies, stored or not", async () => {
  const { ask } = serve({});
  for (const path of ["/dashboard", "/", "/"])
    expect((await ask(path)).headers.get("vary"), path).toMatch(/^Cookie\b/);
});

test("a page with a session is rendered for its reader, each time again, and renews the cookies", async () => {
  const { ask, rendered } = serve({});
  const headers = { cookie: "__Host-daypass.session_token=x" };
  await ask("/");
  for (const time of [1, 2]) {
    const answer = await ask("/", { headers });
    expect(answer.headers.get("set-cookie")).toBe("renewed=1");
    expect(rendered.at(-1), `time ${time}`).toMatchObject({
      requestId: "id",
      ctx: { actor: { kind: "system" } },
    });
    expect(rendered.at(-1)?.request.headers.get("cookie")).toBe(headers.cookie);
  }
  expect(rendered).toHaveLength(3);
});

test("a stored page has nothing of the request for which it was rendered", async () => {
  const { ask, rendered } = serve({});
  await ask("/", { headers: { cookie: "theme=dark", "user-agent": "a crawler" } });
  expect(rendered).toMatchObject([{ requestId: null, ctx: { actor: { kind: "visitor" } } }]);
  expect([...(rendered[0]?.request.headers ?? [])]).toEqual([]);
});

test("a stored page has the policy of the video that it shows", async () => {
  const { ask } = serve({});
  for (const answer of ["rendered", "stored"])
    expect((await ask("/")).headers.get("x-video"), answer).toBe("https://video.example.com/1");
});

test("no page is begun for clients that leave in the iteration of the event loop in which their requests arrive", async () => {
  const { ask, rendered } = serve({});
  const leaving = new AbortController();
  setImmediate(() => leaving.abort());
  const answers = Array.from({ length: 30 }, () => ask("/dashboard", { signal: leaving.signal }));
  const statuses = (await Promise.all(answers)).map(({ status }) => status);
  expect(new Set(statuses)).toEqual(new Set([503]));
  expect(rendered).toEqual([]);
  expect((await ask("/dashboard")).status).toBe(200);
});

test("a POST request that the router refuses is told which methods are allowed", async () => {
  const page = serve({ status: 405, headers: { "content-type": "text/html" } });
  const refused = await page.ask("/shop/canva", { method: "POST" });
  expect([refused.status, refused.headers.get("allow"), await refused.text()]).toEqual([
    405,
    "GET, HEAD",
    "page",
  ]);
  const body = '{"message":"Unexpected Server Error"}';
  const endpoint = serve({ status: 405, body, headers: { "content-type": "application/json" } });
  const answer = await endpoint.ask("/readyz", { method: "POST" });
  expect([answer.status, answer.headers.get("allow")]).toEqual([405, "GET"]);
  expect(await answer.json()).toMatchObject({ message: "Only GET is answered here." });
  const ownAnswer = serve({ status: 405, body, headers: { allow: "POST", "content-type": "text/plain" } });
  expect((await ownAnswer.ask("/admin/catalogue")).headers.get("allow")).toBe("POST");
});

test("the router gets no path that it cannot decode", async () => {
  const { ask, rendered } = serve({});
  for (const path of ["/%zz", "/tools/%ED%A0%80", "/x%ff/%41", "/tools/%F0%9F%98%80"]) await ask(path);
  expect(rendered.map(({ request }) => new URL(request.url).pathname)).toEqual([
    "/%25zz",
    "/tools/%25ED%25A0%2580",
    "/x%25ff/%2541",
    "/tools/%F0%9F%98%80",
  ]);
});

const log = { debug() {}, info() {}, warn() {}, error() {} };
const gone = new DatabaseUnavailableError("gone");

async function askWithout(path: string, failure: Error, visitor: Context) {
  const contextFor = vi.fn(() => Promise.reject(failure));
  const tolerant = tolerateUnknownActor(contextFor, () => visitor);
  const request = new Request(`http://shop.test${path}`, { headers: { cookie: "session=1" } });
  return { answer: tolerant(request, "203.0.113.7", log, "r-1"), contextFor };
}

test("a request without a database fails only where its actor is read", async () => {
  const { ctx } = await (await askWithout("/dashboard", gone, shop.visitor())).answer;
  expect(() => ctx.actor).toThrow(gone);
  expect(() => ({ ...ctx })).toThrow(gone);
  expect(ctx.db).toBe(shop.visitor().db);

  const health = await askWithout("/readyz", gone, shop.visitor());
  expect((await health.answer).ctx.actor).toEqual({ kind: "visitor" });
  expect(health.contextFor).not.toHaveBeenCalled();

  const fault = await askWithout("/dashboard", new Error("a fault"), shop.visitor());
  await expect(fault.answer).rejects.toThrow("a fault");
});

test("a request whose actor is known creates no context of a visitor", async () => {
  const visitorFor = vi.fn(() => shop.visitor());
  const known = { ctx: shop.visitor(), setCookies: [] };
  const tolerant = tolerateUnknownActor(() => Promise.resolve(known), visitorFor);
  expect(await tolerant(new Request("http://shop.test/"), "203.0.113.7", log, "r-1")).toBe(known);
  expect(visitorFor).not.toHaveBeenCalled();
});

test("a renewed session cookie does not replace the one that a sign-in or sign-out sets", () => {
  const headers = new Headers();
  headers.append("set-cookie", "daypass.session_token=new; Path=/; HttpOnly");
  addCookies(headers, ["daypass.session_token=old; Path=/; HttpOnly", "other=1; Path=/"]);
  expect(headers.getSetCookie()).toEqual(["daypass.session_token=new; Path=/; HttpOnly", "other=1; Path=/"]);
});

test("a renewed session cookie is added to a response without a session cookie", () => {
  const headers = new Headers();
  addCookies(headers, ["daypass.session_token=renewed; Path=/"]);
  expect(headers.getSetCookie()).toEqual(["daypass.session_token=renewed; Path=/"]);
});
