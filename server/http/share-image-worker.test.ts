import { expect, test } from "vitest";
import { pngOf } from "#tests/fixtures/logos.ts";
import { drawInWorker, drawShareImage, type ShareImage } from "./share-image-worker.ts";

const image: ShareImage = {
  name: "Canva",
  price: "from ₹49",
  shop: "Daypass",
  tile: { hue: 300, isSolid: true, icon: null, letters: "Ca" },
  logo: null,
};

async function draw(changes: Partial<ShareImage>): Promise<Buffer> {
  const png = await drawShareImage({ ...image, ...changes });
  if (png === null) throw new Error("no image was drawn");
  return Buffer.from(png);
}

test("a share image is a PNG of 1200 × 630 below 300 KB", async () => {
  const png = await draw({});
  expect(png.toString("latin1", 0, 8)).toBe("\x89PNG\r\n\x1a\n");
  expect([png.readUInt32BE(16), png.readUInt32BE(20)]).toEqual([1200, 630]);
  expect(png.length).toBeLessThan(300 * 1024);
});

test("an image differs with name, price, shop, tile and logo, and is the same for the same content", async () => {
  const drawn = await Promise.all([
    draw({}),
    draw({ name: "Canvas" }),
    draw({ price: "₹49" }),
    draw({ shop: "Nightpass" }),
    draw({ tile: { ...image.tile, hue: 30 } }),
    draw({ tile: { ...image.tile, letters: "Cv" } }),
    draw({ tile: { ...image.tile, icon: "M0 0h24v24H0z" } }),
    draw({ logo: pngOf(30, 20) }),
    draw({ logo: pngOf(30, 20, { colour: [0, 0, 0] }) }),
  ]);
  const [first] = drawn;
  expect(new Set(drawn.map((png) => png.toString("base64"))).size).toBe(drawn.length);
  expect((await draw({})).equals(first ?? Buffer.alloc(0))).toBe(true);
});

test("a name may have signs of XML, and as many characters as it likes", async () => {
  const names = [
    `<b>"R&D"</b> 'Pro'`,
    "]]>&amp;",
    "W".repeat(100),
    "Long name ".repeat(10).trim(),
    "é and ₹",
  ];
  const drawn = await Promise.all(names.map((name) => draw({ name })));
  expect(new Set(drawn.map((png) => png.toString("base64"))).size).toBe(names.length);
});

test("a name with a character that the font lacks has no image, and a shop with such a name is left out", async () => {
  for (const name of ["Canva 🎨", "कैनवा", "图"]) expect(await drawShareImage({ ...image, name })).toBeNull();
  expect((await draw({ shop: "दुकान" })).equals(await draw({ shop: "" }))).toBe(true);
});

test("a thread draws the same image, and ends after a fault", async () => {
  const png = await drawInWorker(image);
  expect((await draw({})).equals(png ?? Buffer.alloc(0))).toBe(true);
  await expect(drawInWorker({ ...image, tile: { ...image.tile, letters: "\0" } })).rejects.toThrow();
});
