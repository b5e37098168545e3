import { expect, type Locator, type Page } from "@playwright/test";
import { LOSSLESS_WEBP, pngOf, svgOf } from "../fixtures/logos.ts";
import { expectAccessible, takeScreenshot } from "./accessibility.ts";
import { expectBanner, openAsAdmin, pressRowAction } from "./admin-page.ts";
import { test } from "./fixtures.ts";
import { query } from "./shop-database.ts";

test.describe.configure({ timeout: 240_000 });

const TOOL = "Canva";
const SLUG = "canva";

const button = (part: Page | Locator, name: string) => part.getByRole("button", { name, exact: true });

/** What a version that took SVG files has stored. */
const OLD_LOGO = `${"5".repeat(32)}.svg`;
const DRAWING = svgOf('<circle cx="12" cy="12" r="11" fill="#7a2ff0"/>');

const fileOf = (name: string, mimeType: string, buffer: Buffer) => ({ name, mimeType, buffer });

/** The picture that a part of the page shows, once the browser has drawn it. */
async function expectPicture(part: Locator, address: RegExp): Promise<string> {
  const picture = part.locator("img").first();
  await expect(picture).toHaveAttribute("src", address);
  await expect
    .poll(() => picture.evaluate((image: HTMLImageElement) => image.complete && image.naturalWidth > 0))
    .toBe(true);
  return (await picture.getAttribute("src")) ?? "";
}

test("the owner uploads a PNG and then a WebP as the logo of a tool, and buyers see it, at 390 px", async ({
  shop,
  page,
  baseURL,
  openOtherBrowser,
}) => {
  await page.setViewportSize({ width: 390, height: 844 });
  await openAsAdmin(shop, `/admin/tools?q=${SLUG}`);
  const row = page
    .locator('table[aria-label="Tools"] tr')
    .filter({ has: page.getByText(TOOL, { exact: true }) });
  const dialog = page.getByRole("dialog", { name: "Edit Tool" });
  const group = dialog.getByRole("group", { name: "Logo" });
  const choose = (file: ReturnType<typeof fileOf>) => group.locator("input[type=file]").setInputFiles(file);
  const edit = () => pressRowAction(row, "Edit");
  const save = () => expectBanner(page, "Tool updated.", () => button(dialog, "Update Tool").click());
  const buyer = await openOtherBrowser({ viewport: { width: 390, height: 844 } });
  const card = buyer.page
    .locator("[data-ticket]")
    .filter({ has: buyer.page.getByRole("heading", { name: TOOL }) });

  await test.step("a file that is too large, no picture, an SVG, or too wide is refused, and the form stays", async () => {
    await edit();
    await expect(group.getByText(/^PNG or WebP, at most 200 KB/)).toBeVisible();
    await expectAccessible(page, "tool without a logo", "[role=dialog]");
    await choose(fileOf("large.png", "image/png", pngOf(1, 1, { extraBytes: 200 * 1024 })));
    await expect(group.getByText("The file is larger than 200 KB. Choose a smaller one.")).toBeVisible();
    for (const unknown of [
      fileOf("text.png", "image/png", Buffer.from("a text")),
      fileOf("drawing.svg", "image/svg+xml", DRAWING),
      fileOf("drawing.png", "image/png", DRAWING),
    ]) {
      await choose(fileOf("large.png", "image/png", pngOf(1, 1, { extraBytes: 200 * 1024 })));
      await expect(group.getByText("This is not a PNG or WebP file.")).toBeHidden();
      await choose(unknown);
      await expect(group.getByText("This is not a PNG or WebP file.")).toBeVisible();
    }
    await expect(group.locator("img")).toHaveCount(0);
    await choose(fileOf("wide.png", "image/png", pngOf(2001, 1)));
    await expect(group.getByText("This is not a PNG or WebP file.")).toBeHidden();
    await expectPicture(group, /^data:image\/png/);
    await button(dialog, "Update Tool").click();
    await expect(
      group.getByText("The picture has 2001 × 1 pixels. At most 2000 × 2000 are allowed."),
    ).toBeInViewport();
    await expect(group.locator("input[type=file]")).toBeFocused();
    await expect(group.locator("img")).toHaveCount(0);
    await expectAccessible(page, "tool with a refused logo", "[role=dialog]");
    expect(await query("select name from tool_logos", [])).toEqual([]);
  });

  await test.step("a PNG is shown in the form, and to buyers on the home page and the page of the tool", async () => {
    await choose(fileOf("logo.png", "image/png", pngOf(400, 400)));
    await expectPicture(group, /^data:image\/png/);
    await save();
    await buyer.open("/");
    await expectPicture(card.first(), /^\/logos\/[0-9a-f]{32}\.png$/);
    await buyer.open(`/shop/${SLUG}`);
    await expectPicture(buyer.page.getByRole("main"), /^\/logos\/[0-9a-f]{32}\.png$/);
  });

  const png = await test.step("a WebP replaces it", async () => {
    const stored = await query("select name from tool_logos", []);
    await edit();
    await expectPicture(group, /^\/logos\//);
    for (const refused of [
      fileOf("text.png", "image/png", Buffer.from("a text")),
      fileOf("large.png", "image/png", pngOf(1, 1, { extraBytes: 200 * 1024 })),
      fileOf("text.txt", "text/plain", Buffer.from("a text")),
    ]) {
      await choose(fileOf("logo.webp", "image/webp", LOSSLESS_WEBP));
      await expectPicture(group, /^data:image\/webp/);
      await choose(refused);
      await expectPicture(group, /^\/logos\//);
      await expect(group.locator("input[name=logoFile]")).toHaveValue("");
    }
    await choose(fileOf("logo.webp", "image/webp", LOSSLESS_WEBP));
    await expectPicture(group, /^data:image\/webp/);
    await expectAccessible(page, "tool with a logo", "[role=dialog]");
    await save();
    await buyer.open("/");
    await expectPicture(card.first(), /^\/logos\/[0-9a-f]{32}\.webp$/);
    await expectAccessible(buyer.page, "home page with a logo");
    await buyer.open(`/shop/${SLUG}`);
    await expectPicture(buyer.page.getByRole("main"), /^\/logos\/[0-9a-f]{32}\.webp$/);
    await takeScreenshot(buyer.page, "page of a tool with a logo");
    return stored;
  });

  await test.step("an SVG that an older version stored is shown until it is replaced, and its address runs nothing", async () => {
    await query("insert into tool_logos (name, content) values ($1, $2)", [OLD_LOGO, DRAWING]);
    await query("update tools set logo = $1 where slug = $2", [OLD_LOGO, SLUG]);
    await query("delete from tool_logos where name <> $1", [OLD_LOGO]);
    await shop.open(`/admin/tools?q=${SLUG}`);
    await edit();
    await expectPicture(group, new RegExp(`^/logos/${OLD_LOGO}$`));
    await save();
    await buyer.open("/");
    const address = await expectPicture(card.first(), new RegExp(`^/logos/${OLD_LOGO}$`));
    const answer = await buyer.page.request.get(`${baseURL}${address}`);
    expect(answer.headers()).toMatchObject({
      "content-type": "image/svg+xml",
      "content-security-policy": "default-src 'none'; style-src 'unsafe-inline'; sandbox",
    });
    await edit();
    await choose(fileOf("logo.png", "image/png", pngOf(400, 400)));
    await expectPicture(group, /^data:image\/png/);
    await save();
    await buyer.open("/");
    await expectPicture(card.first(), /^\/logos\/[0-9a-f]{32}\.png$/);
  });

  await test.step("the owner removes it: the tool has its letters again, and nothing is stored", async () => {
    expect(png).toEqual([{ name: expect.stringMatching(/\.png$/) }]);
    await edit();
    await button(group, "Remove").click();
    await expect(group.locator("img")).toHaveCount(0);
    await button(group, "Undo").click();
    await expectPicture(group, /^\/logos\//);
    await button(group, "Remove").click();
    await save();
    // The banner may still belong to the save before.
    await expect.poll(() => query("select name from tool_logos", [])).toEqual([]);
    await buyer.open("/");
    await expect(card.first().locator("img")).toHaveCount(0);
  });
});

test("the tiles of all tools have different marks, and each mark keeps its contrast in both schemes", async ({
  shop,
  page,
}) => {
  await shop.open("/");
  const tiles = shop.cards.locator(".logo-tile");
  await expect(tiles).toHaveCount(12);
  await expect(shop.card("ChatGPT Pro").locator("[aria-hidden]").first()).toHaveText("CP");
  await expect(shop.card("ChatGPT Plus").locator("[aria-hidden]").first()).toHaveText("Pl");
  const marks = await tiles.evaluateAll((all) => all.map(({ innerHTML }) => innerHTML));
  expect(new Set(marks).size).toBe(marks.length);
  for (const colorScheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme });
    const contrasts = await tiles.evaluateAll((all) => {
      const pen = new OffscreenCanvas(1, 1).getContext("2d", { willReadFrequently: true });
      const luminance = (colour: string) => {
        if (pen === null) return Number.NaN;
        pen.fillStyle = colour;
        pen.fillRect(0, 0, 1, 1);
        const [red = 0, green = 0, blue = 0] = [...pen.getImageData(0, 0, 1, 1).data].map((part) =>
          part <= 10 ? part / 3294 : ((part / 255 + 0.055) / 1.055) ** 2.4,
        );
        return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
      };
      return all.map((tile) => {
        const { color, backgroundColor } = getComputedStyle(tile);
        const [mark, ground] = [luminance(color), luminance(backgroundColor)];
        return (Math.max(mark, ground) + 0.05) / (Math.min(mark, ground) + 0.05);
      });
    });
    expect(Math.min(...contrasts), colorScheme).toBeGreaterThan(4.5);
  }
});
