import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { describeShareImage } from "#app/storefront/seo/share-image.server.ts";
import { listActiveTools } from "#core/catalog/on-sale.server.ts";
import { createTool } from "#core/catalog/tool-editing/manage-tools.server.ts";
import type { Context } from "#core/context.ts";
import { freshDatabase } from "#tests/database/database.ts";
import { pngOf } from "#tests/fixtures/logos.ts";
import { openTestShop } from "#tests/fixtures/open-test-shop.ts";
import { serveApp } from "#tests/fixtures/serve-app.ts";
import { createManualClock } from "#tests/manual-clock.ts";
import type { ShareImage } from "./share-image-worker.ts";
import { mountShareImages } from "./share-images.ts";

const GENERAL = join(import.meta.dirname, "../../public/share.png");
const general = readFileSync(GENERAL);
const shop = openTestShop(await freshDatabase(), { clock: createManualClock() });
let admin: Context;
let served: Awaited<ReturnType<typeof serveApp>>;
let visitor = shop.visitor;
let failsWith: Error | null = null;
let drawn: ShareImage[] = [];
let drawingNow = 0;
let mostAtOnce = 0;

/** Stands for the drawing: the bytes of what the image shows. */
async function draw(image: ShareImage) {
  drawn.push(image);
  mostAtOnce = Math.max(mostAtOnce, ++drawingNow);
  await new Promise(setImmediate);
  drawingNow--;
  if (failsWith) throw failsWith;
  return image.name === "No glyphs" ? null : new Uint8Array(Buffer.from(`${image.name} ${image.price}`));
}

beforeAll(async () => {
  admin = await shop.user("admin");
  served = await serveApp(shop, {
    contextFor: () => Promise.reject(new Error("a share image needs no session")),
    mountFiles: (app) => mountShareImages(app, () => visitor(), GENERAL, draw),
  });
});
beforeEach(() => {
  failsWith = null;
  drawn = [];
});
afterAll(async () => {
  await served.close();
  await shop.close();
});

async function ask(path: string, init: RequestInit = {}) {
  const answer = await fetch(`http://127.0.0.1:${served.port}${path}`, init);
  const body = Buffer.from(await answer.arrayBuffer());
  const { "content-type": type, "cache-control": cache } = Object.fromEntries(answer.headers);
  return { status: answer.status, type, cache, body, hasCookie: answer.headers.has("set-cookie") };
}

const fields = { description: "Posters.", validityDays: "12", price: "149", availableStock: "10" };
const sell = (name: string, more: object = {}) =>
  createTool(admin, { ...fields, isActive: "true", launchUrl: "https://tool.example/", name, ...more });

async function pathOf(name: string): Promise<string> {
  const ctx = shop.visitor();
  const tool = (await listActiveTools(ctx)).find((one) => one.name === name);
  if (tool === undefined) throw new Error(`${name} is not on sale`);
  return (await describeShareImage(ctx, tool)).path;
}

test("the image of a tool is a PNG that everybody may keep for ever, without a session", async () => {
  await sell("Canva");
  const path = await pathOf("Canva");
  expect(path).toMatch(/^\/share\/canva-[0-9a-f]{16}\.png$/);
  const headers = { cookie: "daypass.session_token=any" };
  expect(await ask(path, { headers })).toMatchObject({
    status: 200,
    type: "image/png",
    cache: "public, max-age=31536000, immutable",
    body: Buffer.from("Canva ₹149"),
    hasCookie: false,
  });
  expect(drawn).toMatchObject([{ name: "Canva", price: "₹149", logo: null, tile: { letters: "Ca" } }]);
});

test("prices are those of the shop page: the cheapest of several, and free", async () => {
  await sell("Udemy", {
    pricingOptions: [
      { label: "7 Days", validityDays: "7", price: "49" },
      { label: "30 Days", validityDays: "30", price: "1499.50" },
    ],
  });
  await sell("Checker", { price: "0" });
  for (const name of ["Udemy", "Checker"]) await ask(await pathOf(name));
  expect(drawn).toMatchObject([{ price: "from ₹49" }, { price: "Free" }]);
  expect(drawn[0]?.tile.icon).toMatch(/^M/);
});

test("a PNG is drawn as the logo; for another format the letters are", async () => {
  const png = pngOf(5, 5);
  const webp = Buffer.from("UklGRhoAAABXRUJQVlA4TA0AAAAvAAAAEAcQERGIiP4HAA==", "base64");
  await sell("Png", { logoFile: png.toString("base64url") });
  await sell("Webp", { logoFile: webp.toString("base64url") });
  for (const name of ["Png", "Webp"]) await ask(await pathOf(name));
  expect(drawn.map(({ logo }) => logo)).toEqual([png, null]);
});

test("another hash, an unknown tool and any other name get the general picture, which nobody keeps, and nothing is drawn", async () => {
  await sell("Hash");
  const path = await pathOf("Hash");
  const wrong = path.replace(/-[0-9a-f]{16}/, `-${"0".repeat(16)}`);
  for (const name of [
    wrong,
    path.replace("hash", "no-such-tool"),
    path.replace(".png", ".svg"),
    "/share/x",
    "/share/%00.png",
    "/share/..%2fetc%2fpasswd",
    "/share/%E0%A4%A",
  ])
    expect(await ask(name), name).toEqual({
      status: 200,
      type: "image/png",
      cache: "no-store",
      body: general,
      hasCookie: false,
    });
  expect(drawn).toEqual([]);
});

test("a name without an image, a fault of the drawing and one of the database get the general picture", async () => {
  await sell("No glyphs");
  await sell("Faulty");
  const path = await pathOf("Faulty");
  failsWith = new Error("out of memory");
  for (const one of [await pathOf("No glyphs"), path])
    expect(await ask(one)).toMatchObject({ status: 200, cache: "no-store", body: general });
  failsWith = null;
  expect(await ask(path)).toMatchObject({ body: Buffer.from("Faulty ₹149") });
  const lost = () => {
    throw new Error("the database is lost");
  };
  const ctx = shop.visitor();
  visitor = () => ({ ...ctx, db: new Proxy(ctx.db, { get: lost }) });
  expect(await ask(path)).toMatchObject({ status: 200, cache: "no-store", body: general });
  visitor = shop.visitor;
});

test("50 requests at once are answered, and each image is drawn once, one after the other", async () => {
  const names = ["Flood a", "Flood b", "Flood c", "Flood d", "Flood e"];
  for (const name of names) await sell(name);
  const paths = await Promise.all(names.map(pathOf));
  mostAtOnce = 0;
  const answers = await Promise.all(Array.from({ length: 50 }, (_, at) => ask(paths[at % 5] ?? "")));
  expect(answers.map(({ body }) => body.toString())).toEqual(
    Array.from({ length: 50 }, (_, at) => `${names[at % 5]} ₹149`),
  );
  expect(drawn.map(({ name }) => name).toSorted()).toEqual(names);
  expect(mostAtOnce).toBe(1);
});
