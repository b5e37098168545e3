import { createHash } from "node:crypto";
import { expect } from "@playwright/test";
import { endpoints } from "../abuse/endpoints.ts";
import { test } from "./fixtures.ts";

test("every page that is not stored has a content security policy with its own nonce", async ({
  request,
}) => {
  const nonces: string[] = [];
  for (const path of ["/admin/login", "/admin/login", "/no/such/page"]) {
    const response = await request.get(path);
    const headers = response.headers();
    const policy = headers["content-security-policy"] ?? "";
    const nonce = /'nonce-([^']+)'/.exec(policy)?.[1] ?? "";
    expect(nonce.length, path).toBeGreaterThanOrEqual(16);
    nonces.push(nonce);
    expect(policy).toMatch(/script-src [^;]*/);
    expect(/script-src ([^;]*)/.exec(policy)?.[1]).not.toMatch(/unsafe-inline|unsafe-eval|https?:|\*/);
    expect(policy).toContain("object-src 'none'");
    expect(policy).toContain("base-uri 'none'");
    expect(headers["x-content-type-options"]).toBe("nosniff");
    expect(headers["referrer-policy"]).toBe("strict-origin");
    expect(headers["x-request-id"]).toMatch(/^[0-9a-f-]{36}$/);
    expect(headers["x-powered-by"]).toBeUndefined();
    const scripts = (await response.text()).match(/<script\b[^>]*>/g) ?? [];
    for (const script of scripts) expect(script).toContain(`nonce="${nonce}"`);
  }
  expect(new Set(nonces).size).toBe(nonces.length);
});

test("the policy of a stored page allows its own inline scripts and styles by their hashes, and no others", async ({
  page,
  browserErrors,
}) => {
  const first = await page.goto("/");
  // A page is stored for a second, and may be rendered again between the two requests.
  await expect(async () => {
    const [one, two] = [await page.request.get("/"), await page.request.get("/")];
    expect(two.headers()["content-security-policy"]).toBe(one.headers()["content-security-policy"]);
    expect(await two.text()).toBe(await one.text());
  }).toPass();
  const policy = first?.headers()["content-security-policy"] ?? "";
  const html = (await first?.text()) ?? "";
  const inline = await page.evaluate((source) => {
    const parsed = new DOMParser().parseFromString(source, "text/html");
    const scripts = [...parsed.scripts].filter(({ src, type }) => !src && type !== "application/ld+json");
    const styles = [...parsed.querySelectorAll("style")];
    const textsOf = (elements: readonly Element[]) => elements.map(({ textContent }) => textContent);
    return { "script-src": textsOf(scripts), "style-src": textsOf(styles) };
  }, html);
  for (const [directive, texts] of Object.entries(inline)) {
    expect(texts.length, directive).toBeGreaterThan(0);
    const allowed = policy.split("; ").find((text) => text.startsWith(`${directive} `));
    const hashes = texts.map((text) => `'sha256-${createHash("sha256").update(text).digest("base64")}'`);
    expect(new Set(allowed?.match(/'sha256-[^']+'/g)), directive).toEqual(new Set(hashes));
  }
  expect(policy).not.toMatch(/nonce-|unsafe-eval/);
  await test.step("an injected script does not run, and the browser reports it", async () => {
    await page.evaluate(() => {
      const script = document.createElement("script");
      script.textContent = "window.intruder = true";
      document.head.append(script);
    });
    expect(await page.evaluate(() => Reflect.has(window, "intruder"))).toBe(false);
    await expect.poll(() => browserErrors.length).toBeGreaterThan(0);
    expect(browserErrors.join()).toContain("Content Security Policy");
    // Expected here. It also shows that the other tests detect such an error.
    browserErrors.length = 0;
  });
});

test("the policy of a shop without a real gateway allows no external checkout", async ({ request }) => {
  for (const path of ["/", "/admin/login", "/no/such/page"]) {
    const headers = (await request.get(path)).headers();
    expect(headers["content-security-policy"], path).not.toContain("razorpay");
    expect(headers["permissions-policy"], path).toContain("payment=()");
  }
});

test("scripts and styles may be cached, personal pages may not", async ({ request }) => {
  const [home, login] = [await request.get("/"), await request.get("/admin/login")];
  const pages = (await home.text()) + (await login.text());
  const assets = [...pages.matchAll(/\/assets\/[\w.-]+\.(?:js|css)/g)].map(([path]) => path);
  expect(assets.filter((path) => path.endsWith(".css")).length).toBeGreaterThan(0);
  expect(assets.filter((path) => path.endsWith(".js")).length).toBeGreaterThan(0);
  for (const path of new Set(assets)) {
    const headers = (await request.get(path)).headers();
    expect(headers["cache-control"], path).toMatch(/immutable/);
    expect(headers["x-content-type-options"], path).toBe("nosniff");
    expect(headers["content-security-policy"], path).toBe("default-src 'none'");
    expect(headers["permissions-policy"], path).toBeUndefined();
  }
  for (const path of ["/admin", "/tools/chatgpt", "/dashboard"]) {
    const { status, cache } = await request
      .get(path, { maxRedirects: 0 })
      .then((response) => ({ status: response.status(), cache: response.headers()["cache-control"] ?? "" }));
    expect(cache, `${path} ${status}`).toMatch(/no-store|no-cache|private/);
  }
});

test("a crawler gets the document that every browser gets, complete without scripts", async ({ request }) => {
  const documentFor = async (userAgent: string) => {
    // A search is rendered for each request.
    const answer = await request.get("/?q=canva", { headers: { "user-agent": userAgent } });
    const shown = (await answer.text())
      .replace(/<script.*?<\/script>/gs, "")
      .replaceAll(/nonce="[^"]*"/g, "");
    return shown.slice(shown.indexOf("<body"));
  };
  const document = await documentFor("Mozilla/5.0 (Linux; Android 14) Chrome/130.0 Mobile Safari/537.36");
  expect(document).toContain("Get access");
  expect(document).not.toContain("<template");
  expect(await documentFor("Googlebot/2.1")).toBe(document);
});

test("the health endpoints report liveness and readiness", async ({ request }) => {
  expect((await request.get("/healthz")).status()).toBe(200);
  expect(await (await request.get("/readyz")).json()).toMatchObject({ ok: true });
});

test("a POST request to an address that only shows something is refused, names the methods and changes nothing", async ({
  request,
}) => {
  for (const { path } of endpoints("/favicon.svg").filter(({ method = "GET" }) => method === "GET")) {
    const response = await request.post(path, { maxRedirects: 0 });
    expect(response.status(), path).toBeLessThan(500);
    // Nor in the data of the page: it has a sentence of its own for this status.
    expect(await response.text(), path).not.toMatch(/Unexpected Server Error|did not provide an/);
    if (response.status() === 405) expect(response.headers().allow, path).toMatch(/^GET/);
  }
  const refused = await request.post("/shop/canva");
  expect(refused.status()).toBe(405);
  expect(await refused.text()).toContain("That didn’t work, and nothing was changed");
  const data = await request.post("/shop/canva.data");
  expect([data.status(), await data.text()]).toEqual([405, "Method Not Allowed"]);
});
