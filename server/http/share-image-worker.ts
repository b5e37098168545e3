import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { isMainThread, parentPort, Worker, workerData } from "node:worker_threads";
import type { ShareImageContent } from "#app/storefront/seo/share-image.server.ts";

/** What a share image shows, with a PNG as the logo. */
export type ShareImage = Omit<ShareImageContent, "logo"> & { logo: Uint8Array | null };

export type SharePng = Uint8Array<ArrayBuffer>;

/** A drawing takes less than a second; a slow machine with other work takes several. */
const LONGEST_MS = 10_000;

/**
 * Draws in a thread of its own that ends with the image: drawing would hold up all requests for half a second, and the memory
 * of the library (about 60 MB) is free again.
 *
 * @returns a PNG of 1200 × 630; null when the font lacks a character of the name
 */
export function drawInWorker(image: ShareImage): Promise<SharePng | null> {
  // This module is a file of its own in the build, too, because it is only loaded on demand.
  const worker = new Worker(new URL(import.meta.url), { workerData: { shareImage: image } });
  worker.unref();
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => worker.terminate(), LONGEST_MS);
    worker.once("message", resolve);
    worker.once("error", reject);
    worker.once("exit", () => {
      clearTimeout(timer);
      reject(new Error("the thread ended without an image"));
    });
  });
}

/** The library starts once in a thread. */
let started: Promise<void> | undefined;

export async function drawShareImage(image: ShareImage): Promise<Uint8Array | null> {
  const { initWasm, Resvg } = await import("@resvg/resvg-wasm");
  started ??= readUrl(import.meta.resolve("@resvg/resvg-wasm/index_bg.wasm")).then(initWasm);
  await started;
  const font = await readUrl(
    import.meta.resolve("@expo-google-fonts/paytone-one/400Regular/PaytoneOne_400Regular.ttf"),
  );
  const svg = toSvg(image, readWidths(font));
  if (svg === null) return null;
  return new Resvg(svg, { font: { fontBuffers: [font], defaultFontFamily: FONT } }).render().asPng();
}

const readUrl = (url: string) => readFile(fileURLToPath(url));

const FONT = "Paytone One";

/** The width of each character of the font, as a part of the font size. */
type Widths = ReadonlyMap<string, number>;

/** Reads the tables `cmap` (format 4) and `hmtx` of a TrueType font. */
function readWidths(font: Buffer): Widths {
  const u16 = (at: number) => font.readUInt16BE(at);
  const table = (name: string) => font.readUInt32BE(font.indexOf(name, 12, "latin1") + 8);
  const map = table("cmap") + font.readUInt32BE(table("cmap") + 8);
  const segments = u16(map + 6);
  const lastMetric = u16(table("hhea") + 34) - 1;
  const widths = new Map<string, number>();
  for (let end = map + 14; end < map + 14 + segments; end += 2) {
    const [start, delta, range] = [end + segments + 2, end + 2 * segments + 2, end + 3 * segments + 2];
    for (let code = u16(start); code <= u16(end) && code < 0xffff; code++) {
      const listed = u16(range) === 0 ? code : u16(range + u16(range) + 2 * (code - u16(start)));
      const glyph = listed === 0 ? 0 : (listed + u16(delta)) & 0xffff;
      if (glyph === 0) continue;
      const width = u16(table("hmtx") + 4 * Math.min(glyph, lastMetric));
      widths.set(String.fromCodePoint(code), width / u16(table("head") + 18));
    }
  }
  return widths;
}

/** Font sizes of a name, with the most lines of each. */
const NAME_SIZES = [
  [92, 1],
  [76, 1],
  [64, 2],
  [52, 2],
  [44, 2],
] as const;

function toSvg({ name, price, shop, tile, logo }: ShareImage, widths: Widths): string | null {
  const known = (text: string) => [...text].every((letter) => widths.has(letter));
  const plainName = name.normalize("NFC");
  if (!known(plainName)) return null;
  const { lines, size } = fitText(plainName, NAME_SIZES, widths);
  const [shopLine = ""] = known(shop) ? fitText(shop, [[28, 1]], widths).lines : [];
  const firstLine = 326 + size * (0.36 - 0.6 * (lines.length - 1));
  const texts = [
    ...lines.map((line, at) => textAt(line, firstLine + 1.2 * size * at, size, INK)),
    textAt(price, 522, 84, INK),
    textAt(shopLine, 608, 28, "#c8c9cc"),
  ];
  return `<svg xmlns="http://www.w3.org/2000/svg" width="1200" height="630"><rect width="1200" height="630" fill="${INK}"/>
<rect x="90" y="56" width="1020" height="508" rx="36" fill="#ffffff"/>
<path d="M90 420h1020v108a36 36 0 0 1-36 36H126a36 36 0 0 1-36-36z" fill="#f4a921"/>
<path d="M126 420h948" stroke="${INK}" stroke-width="3" stroke-dasharray="12 10"/>
<g fill="${INK}"><circle cx="90" cy="420" r="24"/><circle cx="1110" cy="420" r="24"/></g>
<g transform="translate(534 92)">${logo ? picture(logo) : drawTile(tile)}</g>${texts.join("")}</svg>`;
}

const INK = "#15171c";
const MOST_WIDTH = 920;

/** The text in the first size in which it fits; in the last one, what is too long is cut. */
function fitText(
  text: string,
  sizes: readonly (readonly [size: number, lines: number])[],
  widths: Widths,
): { lines: string[]; size: number } {
  for (const [size, most] of sizes) {
    const lines = wrap(text, MOST_WIDTH / size, widths);
    if (lines.length <= most) return { lines, size };
    if (size !== sizes.at(-1)?.[0]) continue;
    const last = lines[most - 1] ?? "";
    const room = MOST_WIDTH / size - widthOf("…", widths);
    const [cut = ""] = breakWord(last, room, widths);
    return { lines: [...lines.slice(0, most - 1), `${cut.trimEnd()}…`], size };
  }
  return { lines: [], size: 0 };
}

const widthOf = (text: string, widths: Widths) =>
  [...text].reduce((sum, letter) => sum + (widths.get(letter) ?? 1), 0);

function wrap(text: string, room: number, widths: Widths): string[] {
  const lines: string[] = [];
  for (const part of text.split(/\s+/).flatMap((word) => breakWord(word, room, widths))) {
    const longer = lines.length === 0 ? part : `${lines.at(-1)} ${part}`;
    if (widthOf(longer, widths) <= room) lines.splice(-1, 1, longer);
    else lines.push(part);
  }
  return lines;
}

/** A text in parts that are not wider than a line. */
function breakWord(word: string, room: number, widths: Widths): string[] {
  const parts = [""];
  for (const letter of word) {
    const longer = parts.at(-1) + letter;
    if (widthOf(longer, widths) <= room) parts[parts.length - 1] = longer;
    else parts.push(letter);
  }
  return parts;
}

function textAt(text: string, y: number, size: number, fill: string): string {
  const escaped = text.replace(/[<>&]/g, (sign) => `&#${sign.charCodeAt(0)};`);
  return `<text x="600" y="${y}" font-size="${size}" fill="${fill}" text-anchor="middle">${escaped}</text>`;
}

const SIDE = 132;

function picture(logo: Uint8Array): string {
  const data = Buffer.from(logo).toString("base64");
  return `<image width="${SIDE}" height="${SIDE}" href="data:image/png;base64,${data}"/>`;
}

/** The tile of `LogoTile` in the light colours of the shop, without its motif. */
function drawTile({ hue, isSolid, icon, letters }: ShareImage["tile"]): string {
  const [back, front] = isSolid
    ? [toRgb(0.48, 0.12, hue), "#ffffff"]
    : [toRgb(0.91, 0.07, hue), toRgb(0.38, 0.11, hue)];
  const sign = icon
    ? `<path d="${icon}" transform="translate(33 33) scale(2.75)"/>`
    : textAt(letters, 86, 58, front).replace('x="600"', 'x="66"');
  return `<rect width="${SIDE}" height="${SIDE}" rx="26" fill="${back}"/><g fill="${front}">${sign}</g>`;
}

/** The colour `oklch(lightness chroma hue)` in sRGB, which the library does not know. */
function toRgb(lightness: number, chroma: number, hue: number): string {
  const a = chroma * Math.cos((hue * Math.PI) / 180);
  const b = chroma * Math.sin((hue * Math.PI) / 180);
  const l = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3;
  const m = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3;
  const s = (lightness - 0.0894841775 * a - 1.291485548 * b) ** 3;
  const channels = [
    4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s,
    -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s,
    -0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s,
  ].map((part) => Math.round(255 * (1.055 * Math.min(1, Math.max(0, part)) ** (1 / 2.4) - 0.055)));
  return `rgb(${channels.map((channel) => Math.max(0, channel)).join(",")})`;
}

if (!isMainThread && workerData?.shareImage)
  parentPort?.postMessage(await drawShareImage(workerData.shareImage));
