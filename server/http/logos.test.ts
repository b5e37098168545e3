import { afterAll, beforeAll, expect, test } from "vitest";
import { createTool, updateTool } from "#core/catalog/tool-editing/manage-tools.server.ts";
import type { Context } from "#core/context.ts";
import { toolLogos } from "#db/tables/catalog.ts";
import { freshDatabase } from "#tests/database/database.ts";
import { pngOf, svgOf } from "#tests/fixtures/logos.ts";
import { openTestShop } from "#tests/fixtures/open-test-shop.ts";
import { serveApp } from "#tests/fixtures/serve-app.ts";
import { createManualClock } from "#tests/manual-clock.ts";

const shop = openTestShop(await freshDatabase(), { clock: createManualClock() });
let admin: Context;
/** What visitors do, with a version of the catalogue that the tests raise. */
let visitor: Context;
let version = 1;
let reads = 0;
let served: Awaited<ReturnType<typeof serveApp>>;

beforeAll(async () => {
  admin = await shop.user("admin");
  const ctx = shop.visitor();
  const db = new Proxy(ctx.db, {
    get(target, name, receiver) {
      if (name === "select") reads++;
      return Reflect.get(target, name, receiver);
    },
  });
  visitor = { ...ctx, db, ports: { ...ctx.ports, catalogueVersion: () => version } };
  served = await serveApp(shop, {
    visitorContext: () => visitor,
    contextFor: () => Promise.reject(new Error("a logo needs no session")),
  });
});
afterAll(async () => {
  await served.close();
  await shop.close();
});

const ask = (name: string, init: RequestInit = {}) =>
  fetch(`http://127.0.0.1:${served.port}/logos/${name}`, init);

const fields = { description: "Films.", validityDays: "12", price: "149", availableStock: "10" };
async function upload(name: string, file: Buffer) {
  const { id } = await createTool(admin, { ...fields, name, logoFile: file.toString("base64url") });
  const [logo] = (await shop.db.select({ name: toolLogos.name }).from(toolLogos)).slice(-1);
  return { id, logo: logo?.name ?? "" };
}

test("a PNG is sent as it is, for ever, with a policy of its own and no cookie", async () => {
  const file = pngOf(3, 3);
  const { logo } = await upload("Png", file);
  const answer = await ask(logo, { headers: { cookie: "daypass.session_token=any" } });
  expect(answer.status).toBe(200);
  expect(Buffer.from(await answer.arrayBuffer()).equals(file)).toBe(true);
  expect(Object.fromEntries(answer.headers)).toMatchObject({
    "content-type": "image/png",
    "content-length": String(file.length),
    "cache-control": "public, max-age=31536000, immutable",
    "content-security-policy": "default-src 'none'; style-src 'unsafe-inline'; sandbox",
    "x-content-type-options": "nosniff",
  });
  expect(answer.headers.has("set-cookie")).toBe(false);
  const head = await ask(logo, { method: "HEAD" });
  expect([head.status, head.headers.get("content-type"), await head.text()]).toEqual([200, "image/png", ""]);
});

test("an SVG that an older version stored has the same policy and its own type", async () => {
  const logo = `${"5".repeat(32)}.svg`;
  await shop.db.insert(toolLogos).values({ name: logo, content: svgOf("<path d='M0 0'/>") });
  const answer = await ask(logo);
  expect(Object.fromEntries(answer.headers)).toMatchObject({
    "content-type": "image/svg+xml",
    "content-security-policy": "default-src 'none'; style-src 'unsafe-inline'; sandbox",
    "x-content-type-options": "nosniff",
  });
  expect(await answer.text()).toMatch(/^<svg /);
});

test("many requests for one logo read it once, and none shows a logo that was removed", async () => {
  const { id, logo } = await upload("Read once", pngOf(4, 4));
  const before = reads;
  const answers = await Promise.all(Array.from({ length: 20 }, () => ask(logo)));
  expect(answers.map(({ status }) => status)).toEqual(Array(20).fill(200));
  expect(reads).toBe(before + 1);
  await updateTool(admin, {
    ...fields,
    name: "Read once",
    toolId: id,
    version: 1,
    shownStock: "10",
    removeLogo: "true",
  });
  version++;
  expect((await ask(logo)).status).toBe(404);
});

test("an unknown name is answered with 404, which nobody keeps, and a name of another form reads nothing", async () => {
  const answer = await ask(`${"0".repeat(32)}.png`);
  expect([answer.status, answer.headers.get("cache-control")]).toEqual([404, "no-store"]);
  const before = reads;
  for (const name of [
    "x",
    "favicon.svg",
    `${"0".repeat(32)}.html`,
    "..%2fetc%2fpasswd",
    "%00.png",
    "%E0%A4%A",
  ])
    expect((await ask(name)).status, name).toBe(404);
  expect(reads).toBe(before);
});
