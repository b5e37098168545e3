import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { strToU8, zipSync } from "fflate";
import { TEMPLATE_ORIGIN } from "#contracts/template-origin.ts";

/** What the build writes for the shop's host, in the id of the extension. */
const TEMPLATE_HOST = new URL(TEMPLATE_ORIGIN).host;
const MANIFEST = "manifest.json";
const TEXT = /\.(?:css|html|js|json)$/;
/** The earliest time that a zip can hold, so that the same files are always the same zip. */
const FILE_TIME = new Date(1980, 0, 1);

export type ExtensionBrowser = "chrome" | "firefox";

export interface ExtensionZip {
  content: Uint8Array<ArrayBuffer>;
  /** SHA-256 in hex. */
  checksum: string;
  version: string;
}

/**
 * The extension of a shop: the template of the build, with the shop's origin in its place. Equal templates and origins
 * make equal files.
 *
 * @param template the folder of the built template
 * @returns null when the extension is not built
 */
export function makeExtensionZip(
  template: string,
  browser: ExtensionBrowser,
  origin: string,
): ExtensionZip | null {
  if (!existsSync(join(template, MANIFEST))) return null;
  const manifest = manifestFor(readFileSync(join(template, MANIFEST), "utf8"), browser, origin);
  const files: Record<string, Uint8Array> = {};
  for (const path of listFiles(template)) {
    const content = readFileSync(join(template, path));
    if (path === MANIFEST) files[path] = strToU8(JSON.stringify(manifest, null, 2));
    else if (TEXT.test(path)) files[path] = strToU8(withOrigin(content.toString("utf8"), origin));
    else files[path] = content;
  }
  const content = zipSync(files, { level: 9, mtime: FILE_TIME });
  const checksum = createHash("sha256").update(content).digest("hex");
  return { content, checksum, version: String(manifest.version) };
}

function listFiles(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)).replaceAll("\\", "/"))
    .sort();
}

/** An origin has no quotes and no backslashes, so it can stand in every text of a script. */
function withOrigin(text: string, origin: string): string {
  return text.replaceAll(TEMPLATE_ORIGIN, origin);
}

function manifestFor(template: string, browser: ExtensionBrowser, origin: string): Record<string, unknown> {
  const { protocol, hostname } = new URL(origin);
  // A match pattern has no port: Firefox refuses one. The code of the extension compares the whole origin.
  const text = template
    .replaceAll(TEMPLATE_ORIGIN, `${protocol}//${hostname}`)
    .replaceAll(TEMPLATE_HOST, new URL(origin).host.replace(/[^a-zA-Z0-9.]+/g, "-"));
  const manifest: unknown = JSON.parse(text);
  const key = browser === "chrome" ? { key: extensionKeyOf(origin) } : {};
  return { ...Object(manifest), ...key };
}

/**
 * The `key` of the Chrome extension of a shop. Chrome derives the extension's id from it, so the id is the same on every
 * computer, and different for each shop. It is no secret and signs nothing.
 */
export function extensionKeyOf(origin: string): string {
  return createHash("sha512").update(`daypass extension of ${origin}`).digest("base64");
}

/** The id that Chrome gives to the extension of a shop: 32 letters from a to p, one for each hex digit of a hash. */
export function extensionIdOf(origin: string): string {
  const hash = createHash("sha256")
    .update(Buffer.from(extensionKeyOf(origin), "base64"))
    .digest("hex");
  return [...hash.slice(0, 32)].map((digit) => String.fromCharCode(97 + Number.parseInt(digit, 16))).join("");
}
