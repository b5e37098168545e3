import { createHash } from "node:crypto";
import { crc32 } from "node:zlib";
import { LOGO_LIMITS, LOGO_TOO_LARGE, LOGO_UNKNOWN } from "../limits.ts";

/** Why a file cannot be a logo, in words for the person who has chosen it. */
export class UnusableLogoError extends Error {
  constructor(message: string) {
    super(message);
    this.name = "UnusableLogoError";
  }
}

export interface Logo {
  /** The beginning of the SHA-256 of `content`, and the ending of its format. */
  name: string;
  content: Buffer<ArrayBuffer>;
}

const DAMAGED = "The file is incomplete or damaged. Export it again.";
const NAME_DIGITS = 32;

/**
 * Reads an uploaded logo. Its first bytes decide what it is, not its name or the type that the browser says. What follows
 * the picture in the file is left out.
 *
 * @throws UnusableLogoError
 */
export function readLogo(file: Buffer): Logo {
  if (file.length === 0) throw new UnusableLogoError("The file is empty.");
  if (file.length > LOGO_LIMITS.bytes) throw new UnusableLogoError(LOGO_TOO_LARGE);
  if (file.subarray(0, PNG_SIGNATURE.length).equals(PNG_SIGNATURE)) return toLogo(readPng(file), "png");
  if (tag(file, 0) === "RIFF" && tag(file, 8) === "WEBP") return toLogo(readWebp(file), "webp");
  throw new UnusableLogoError(LOGO_UNKNOWN);
}

function toLogo(content: Buffer, ending: string): Logo {
  const hash = createHash("sha256").update(content).digest("hex").slice(0, NAME_DIGITS);
  return { name: `${hash}.${ending}`, content: Buffer.from(content) };
}

const PNG_SIGNATURE = Buffer.from("\x89PNG\r\n\x1a\n", "latin1");

/** Four letters that name a part of the file; fewer at its end. */
const tag = (file: Buffer, at: number) => file.toString("latin1", at, at + 4);

/** The picture without what follows its last chunk. @throws UnusableLogoError */
function readPng(file: Buffer): Buffer {
  let hasPixels = false;
  for (let at = PNG_SIGNATURE.length; at + 12 <= file.length; ) {
    const length = file.readUInt32BE(at);
    const end = at + 12 + length;
    if (end > file.length) break;
    if (crc32(file.subarray(at + 4, end - 4)) !== file.readUInt32BE(end - 4)) break;
    const kind = tag(file, at + 4);
    const isFirst = at === PNG_SIGNATURE.length;
    if (isFirst !== (kind === "IHDR") || (isFirst && length !== 13)) break;
    if (isFirst) checkSize(file.readUInt32BE(at + 8), file.readUInt32BE(at + 12));
    if (kind === "IDAT") hasPixels = true;
    if (kind === "IEND" && hasPixels) return file.subarray(0, end);
    at = end;
  }
  throw new UnusableLogoError(DAMAGED);
}

/** @throws UnusableLogoError */
function checkSize(width: number, height: number): void {
  if (width === 0 || height === 0) throw new UnusableLogoError(DAMAGED);
  const most = LOGO_LIMITS.pixels;
  if (width > most || height > most)
    throw new UnusableLogoError(
      `The picture has ${width} × ${height} pixels. At most ${most} × ${most} are allowed.`,
    );
}

/** The picture without what follows it. @throws UnusableLogoError */
function readWebp(file: Buffer): Buffer {
  // The header is 12 bytes, the header of the first chunk 8, and the size of the picture is in the 10 after it.
  if (file.length < 30) throw new UnusableLogoError(DAMAGED);
  const end = 8 + file.readUInt32LE(4);
  if (end > file.length) throw new UnusableLogoError(DAMAGED);
  const size = readWebpSize(file);
  if (size === null) throw new UnusableLogoError(DAMAGED);
  checkSize(...size);
  const kinds: string[] = [];
  let at = 12;
  while (at + 8 <= end) {
    kinds.push(tag(file, at));
    const length = file.readUInt32LE(at + 4);
    // Chunks begin at even places.
    at += 8 + length + (length % 2);
  }
  const hasPixels = kinds.some((kind) => ["VP8 ", "VP8L", "ANMF"].includes(kind));
  if (at > end || !hasPixels) throw new UnusableLogoError(DAMAGED);
  return file.subarray(0, end);
}

/** Width and height by the format of the first chunk; null when it is none of the three. */
function readWebpSize(file: Buffer): [number, number] | null {
  const data = 20;
  switch (tag(file, 12)) {
    case "VP8 ": {
      if (file.readUIntBE(data + 3, 3) !== 0x9d012a) return null;
      return [file.readUInt16LE(data + 6) & 0x3fff, file.readUInt16LE(data + 8) & 0x3fff];
    }
    case "VP8L": {
      if (file[data] !== 0x2f) return null;
      const bits = file.readUInt32LE(data + 1);
      return [(bits & 0x3fff) + 1, ((bits >>> 14) & 0x3fff) + 1];
    }
    case "VP8X":
      return [file.readUIntLE(data + 4, 3) + 1, file.readUIntLE(data + 7, 3) + 1];
    default:
      return null;
  }
}
