import { expect, test } from "vitest";
import { LOSSLESS_WEBP, LOSSY_WEBP, pngOf, pngWithSize, svgOf } from "#tests/fixtures/logos.ts";
import { readLogo } from "./read-logo.server.ts";

const KIB_200 = 200 * 1024;
const problemOf = (file: Buffer) => {
  try {
    readLogo(file);
  } catch (error) {
    return error instanceof Error ? `${error.name}: ${error.message}` : error;
  }
  return null;
};
const unusable = (message: string | RegExp) => expect.stringMatching(message);

test.each([
  ["png", pngOf(40, 30)],
  ["webp", LOSSY_WEBP],
  ["webp", LOSSLESS_WEBP],
])("a %s as a logo is stored as it is, under its hash", (ending, file) => {
  const logo = readLogo(file);
  expect(logo.name).toMatch(new RegExp(`^[0-9a-f]{32}\\.${ending}$`));
  expect(logo.content.equals(file)).toBe(true);
  expect(readLogo(Buffer.from(file)).name).toBe(logo.name);
});

test("the logo is stored without what follows the picture in the file", () => {
  const hidden = Buffer.from("<script>alert(1)</script>");
  for (const file of [pngOf(2, 2), LOSSY_WEBP])
    expect(readLogo(Buffer.concat([file, hidden])).content.equals(file)).toBe(true);
});

test("a logo file of 200 KB is accepted, and one byte more is not", () => {
  const overhead = pngOf(1, 1, { extraBytes: 1 }).length - 1;
  const most = pngOf(1, 1, { extraBytes: KIB_200 - overhead });
  expect(most).toHaveLength(KIB_200);
  expect(readLogo(most).content).toHaveLength(KIB_200);
  expect(problemOf(pngOf(1, 1, { extraBytes: KIB_200 - overhead + 1 }))).toEqual(
    unusable(/larger than 200 KB/),
  );
});

test("a logo of 2,000 pixels a side is accepted, and a larger or empty one is not", () => {
  expect(problemOf(pngWithSize(2000, 2000))).toBeNull();
  expect(problemOf(pngWithSize(2001, 2000))).toEqual(unusable(/has 2001 × 2000 pixels/));
  expect(problemOf(pngWithSize(1, 4_000_000_000))).toEqual(unusable(/At most 2000 × 2000/));
  expect(problemOf(pngWithSize(0, 1))).toEqual(unusable(/damaged/));
  const wide = Buffer.from(LOSSY_WEBP);
  wide.writeUInt16LE(2001, 26);
  expect(problemOf(wide)).toEqual(unusable(/has 2001 × 1 pixels/));
  const tall = Buffer.from(LOSSLESS_WEBP);
  tall.writeUInt32LE(2000 << 14, 21);
  expect(problemOf(tall)).toEqual(unusable(/has 1 × 2001 pixels/));
});

test("every incomplete PNG and WebP is refused as a logo", () => {
  for (const file of [pngOf(4, 4), LOSSY_WEBP, LOSSLESS_WEBP])
    for (let length = 12; length < file.length; length++)
      expect(problemOf(file.subarray(0, length)), `${length} bytes`).toEqual(
        unusable(/incomplete or damaged/),
      );
});

test("a PNG with a changed byte is refused as a logo", () => {
  const file = pngOf(4, 4);
  for (let at = 8; at < file.length; at++) {
    const changed = Buffer.from(file);
    changed[at] = (changed[at] ?? 0) ^ 1;
    expect(problemOf(changed), `byte ${at}`).toEqual(unusable(/^UnusableLogoError: /));
  }
});

test("a WebP without a picture, or with a chunk longer than the file, is refused as a logo", () => {
  const other = Buffer.from(LOSSY_WEBP);
  other.write("ALPH", 12, "latin1");
  expect(problemOf(other)).toEqual(unusable(/damaged/));
  const longer = Buffer.from(LOSSY_WEBP);
  longer.writeUInt32LE(1_000_000, 16);
  expect(problemOf(longer)).toEqual(unusable(/damaged/));
});

test.each([
  ["nothing", Buffer.alloc(0), /empty/],
  ["a JPEG", Buffer.from("ffd8ffe000104a46494600010101", "hex"), /not a PNG or WebP/],
  ["a GIF", Buffer.from("GIF89a\x01\x00\x01\x00", "latin1"), /not a PNG or WebP/],
  ["a text", Buffer.from("a logo"), /not a PNG or WebP/],
  ["a page", Buffer.from("<!doctype html><p>svg</p><script>1</script>"), /not a PNG or WebP/],
  ["an SVG", svgOf("<path d='M0 0h8v8z'/>"), /not a PNG or WebP/],
  ["an SVG with a script", svgOf("<script>alert(1)</script>"), /not a PNG or WebP/],
  ["another RIFF file", Buffer.from("RIFF\x20\0\0\0WAVEfmt ", "latin1"), /not a PNG or WebP/],
])("the logo file %s is refused", (_, file, message) => {
  expect(problemOf(file)).toEqual(unusable(message));
});
