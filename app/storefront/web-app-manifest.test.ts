import { readFileSync } from "node:fs";
import { RouterContextProvider } from "react-router";
import { afterAll, expect, test } from "vitest";
import { z } from "zod";
import { ACCENTS } from "#core/catalog/limits.ts";
import { STORE_SETTINGS_KEY, saveSetting } from "#core/catalog/store-settings.server.ts";
import { inTransaction } from "#db/transaction.ts";
import { freshDatabase } from "#tests/database/database.ts";
import { openTestShop } from "#tests/fixtures/open-test-shop.ts";
import { createManualClock } from "#tests/manual-clock.ts";
import { shopContext } from "../request/request-context.ts";
import { ACCENT_COLOURS, loader } from "./web-app-manifest.ts";

const shop = openTestShop(await freshDatabase(), { clock: createManualClock() });
afterAll(() => shop.close());

const manifestSchema = z.object({
  icons: z.array(z.object({ src: z.string(), sizes: z.string(), purpose: z.string() })),
});

async function read(): Promise<unknown> {
  const context = new RouterContextProvider();
  context.set(shopContext, shop.visitor());
  const url = new URL("http://shop.test/manifest.webmanifest");
  const response = await loader({
    request: new Request(url),
    url,
    context,
    params: {},
    pattern: "/manifest.webmanifest",
  });
  expect(response.headers.get("content-type")).toBe("application/manifest+json");
  return response.json();
}

test("the manifest has the name and the accent colour of the store, and opens the dashboard", async () => {
  const settings = { name: "Asha’s “Tools”", accent: "mint" };
  await inTransaction(shop.db, (tx) => saveSetting(tx, STORE_SETTINGS_KEY, settings));
  expect(await read()).toMatchObject({
    id: "/",
    name: settings.name,
    short_name: settings.name,
    start_url: "/dashboard",
    scope: "/",
    display: "standalone",
    theme_color: "#5cc99a",
    background_color: "#faf9f6",
  });
});

test("each icon of the manifest is a PNG of the size that it says", async () => {
  const { icons } = manifestSchema.parse(await read());
  const files = icons.map(({ src, sizes, purpose }) => {
    const png = readFileSync(new URL(`../../public${src}`, import.meta.url));
    expect(png.toString("latin1", 1, 4), src).toBe("PNG");
    expect(`${png.readUInt32BE(16)}x${png.readUInt32BE(20)}`, src).toBe(sizes);
    return `${sizes} ${purpose}`;
  });
  expect(files).toEqual(["192x192 any", "512x512 any", "512x512 maskable"]);
});

test("the accent colours are those of the style sheet", () => {
  const css = readFileSync(new URL("../ui/theme.css", import.meta.url), "utf8");
  for (const accent of ACCENTS) {
    // Marigold is the default, and has no block of its own.
    const block = accent === "marigold" ? css : css.slice(css.indexOf(`[data-accent="${accent}"]`));
    expect(/--marigold: (#\w+);/.exec(block)?.[1], accent).toBe(ACCENT_COLOURS[accent]);
  }
});
