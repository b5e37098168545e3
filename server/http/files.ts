import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip, zstdCompress } from "node:zlib";
import type { Context, Hono } from "hono";
import {
  type ExtensionBrowser,
  type ExtensionZip,
  makeExtensionZip,
} from "#app/extension-api/extension-zip.ts";
import type { AppEnv } from "./request-scope.ts";

export const ONE_YEAR = "public, max-age=31536000, immutable";
const ONE_HOUR = "public, max-age=3600";

export const TYPES: Readonly<Record<string, string>> = {
  css: "text/css; charset=utf-8",
  ico: "image/x-icon",
  js: "text/javascript; charset=utf-8",
  json: "application/json",
  png: "image/png",
  svg: "image/svg+xml",
  txt: "text/plain; charset=utf-8",
  webm: "video/webm",
  webp: "image/webp",
};

/** The files of public/ that are served. */
const PUBLIC_FILES = [
  "favicon.svg",
  "favicon.ico",
  "icon-192.png",
  "icon-512.png",
  "icon-maskable-512.png",
  "apple-touch-icon.png",
  "share.png",
  "demo-video.webm",
  "wallet-worker.js",
];

interface StaticFile {
  type: string;
  cacheControl: string;
  plain: Buffer<ArrayBuffer>;
  /** Compressed by the build; absent where that saves nothing. */
  br: Buffer<ArrayBuffer> | undefined;
  gzip: Buffer<ArrayBuffer> | undefined;
}

/**
 * Serves the built browser files, about 1 MB, from memory: reads from the disk would wait for password hashes, which
 * use the same few threads. Files under /assets have a hash of their content in their name and never change.
 */
export function mountStaticFiles(app: Hono<AppEnv>, clientFolder: string): void {
  if (!existsSync(clientFolder)) throw new Error(`${clientFolder} is missing: build the shop first`);
  const files = new Map<string, StaticFile>();
  const add = (path: string, cacheControl: string) => {
    const file = readStaticFile(join(clientFolder, path), cacheControl);
    if (file) files.set(`/${path}`, file);
  };
  for (const name of readdirSync(join(clientFolder, "assets"))) add(`assets/${name}`, ONE_YEAR);
  for (const name of PUBLIC_FILES) add(name, ONE_HOUR);

  for (const path of files.keys()) if (!path.startsWith("/assets/")) app.get(path, (c) => answer(c, files));
  app.get("/assets/*", (c) => answer(c, files));
}

function readStaticFile(path: string, cacheControl: string): StaticFile | null {
  const type = TYPES[/\.([a-z]+)$/.exec(path)?.[1] ?? ""];
  if (type === undefined || !existsSync(path)) return null;
  const copy = (ending: string) => (existsSync(path + ending) ? readFileSync(path + ending) : undefined);
  return { type, cacheControl, plain: readFileSync(path), br: copy(".br"), gzip: copy(".gz") };
}

function answer(c: Context<AppEnv>, files: ReadonlyMap<string, StaticFile>): Response {
  const file = files.get(c.req.path);
  return file === undefined ? c.text("Not found.", 404) : send(c, file);
}

function send(c: Context<AppEnv>, file: StaticFile): Response {
  c.set("isCode", file.type === TYPES.css || file.type === TYPES.js);
  const encoding = chooseEncoding(c.req.header("accept-encoding") ?? "", STORED_ENCODINGS);
  const compressed = encoding === null ? undefined : file[encoding];
  const headers = {
    "content-type": file.type,
    "cache-control": file.cacheControl,
    vary: "Accept-Encoding",
    ...(compressed && encoding ? { "content-encoding": encoding } : {}),
  };
  if (file.type === TYPES.webm) return sendRange(c, file.plain, { ...headers, "accept-ranges": "bytes" });
  return new Response(c.req.method === "HEAD" ? null : (compressed ?? file.plain), { headers });
}

/** A part of a video, as players ask for it, or all of it. The first of several parts is sent. */
function sendRange(
  c: Context<AppEnv>,
  content: Buffer<ArrayBuffer>,
  headers: Record<string, string>,
): Response {
  const body = (part: Buffer<ArrayBuffer>) => (c.req.method === "HEAD" ? null : part);
  const [, first = "", last = ""] = /^bytes=(\d{0,9})-(\d{0,9})/.exec(c.req.header("range") ?? "") ?? [];
  if (first === "" && last === "") return new Response(body(content), { headers });
  const size = content.length;
  // "-500" are the last 500 bytes.
  const start = first === "" ? Math.max(0, size - Number(last)) : Number(first);
  const end = first === "" || last === "" ? size - 1 : Math.min(Number(last), size - 1);
  if (start > end)
    return new Response(null, { status: 416, headers: { ...headers, "content-range": `bytes */${size}` } });
  const part = { ...headers, "content-range": `bytes ${start}-${end}/${size}` };
  return new Response(body(content.subarray(start, end + 1)), { status: 206, headers: part });
}

const BROWSERS: readonly ExtensionBrowser[] = ["chrome", "firefox"];

/**
 * The extension as two zips, and their checksums in the format of `sha256sum`. They are made for the first request, and
 * kept: together they have about 350 KB.
 */
export function mountDownloads(app: Hono<AppEnv>, templates: string, origin: string): void {
  const zips = new Map<ExtensionBrowser, ExtensionZip | null>();
  const zipOf = (browser: ExtensionBrowser) => {
    const made = zips.get(browser);
    if (made !== undefined) return made;
    const zip = makeExtensionZip(join(templates, browser), browser, origin);
    zips.set(browser, zip);
    return zip;
  };

  for (const browser of BROWSERS) {
    app.get(`/downloads/${fileName(browser)}`, (c) => {
      const zip = zipOf(browser);
      return zip === null ? c.text("The extension is not built.", 404) : sendZip(c, browser, zip);
    });
  }
  app.get("/downloads/checksums.txt", (c) => {
    const lines = BROWSERS.flatMap((browser) => {
      const zip = zipOf(browser);
      return zip === null ? [] : [`${zip.checksum}  ${fileName(browser)}\n`];
    });
    return c.text(lines.join(""), 200, { "cache-control": "no-cache" });
  });
}

const fileName = (browser: ExtensionBrowser) => `daypass-${browser}.zip`;

function sendZip(c: Context<AppEnv>, browser: ExtensionBrowser, zip: ExtensionZip): Response {
  const etag = `"${zip.checksum}"`;
  const headers = {
    "content-type": "application/zip",
    "content-disposition": `attachment; filename="${fileName(browser)}"`,
    "cache-control": "no-cache",
    etag,
    "x-extension-version": zip.version,
    "x-checksum-sha256": zip.checksum,
  };
  if (c.req.header("if-none-match") === etag) return new Response(null, { status: 304, headers });
  return new Response(c.req.method === "HEAD" ? null : zip.content, { headers });
}

const zip = promisify(gzip);
const brotli = promisify(brotliCompress);
const zstd = promisify(zstdCompress);

/** Compression saves nothing for shorter answers. */
const MINIMUM_BYTES = 1_024;
const COMPRESSIBLE =
  /^(?:text\/(?!event-stream)|application\/(?:json|javascript|xml|manifest\+json)|image\/svg)/;
/** Compresses better than gzip's best level, and as fast as gzip's fastest. */
const BROTLI_QUALITY = 5;

/** The best one first, for an answer that is compressed once: zstd takes a third of the time of brotli. */
const FASTEST_FIRST = ["zstd", "br", "gzip"] as const;
/** The smallest one first, for an answer that is compressed once and sent often. */
export const STORED_ENCODINGS = ["br", "gzip"] as const;
type Encoding = (typeof FASTEST_FIRST)[number];

/**
 * Compresses an answer when its client accepts that. The whole answer is read first, so that no stream stays open after
 * an error or when the client leaves. Event streams pass unchanged.
 */
export async function compressResponse(
  response: Response,
  acceptEncoding: string | undefined,
): Promise<Response> {
  const { status, headers } = response;
  const type = headers.get("content-type") ?? "";
  if (response.body === null || type.startsWith("text/event-stream")) return response;
  const body = Buffer.from(await response.arrayBuffer());
  if (!COMPRESSIBLE.test(type) || headers.has("content-encoding"))
    return new Response(body, { status, headers });
  headers.append("vary", "Accept-Encoding");
  const encoding = body.length < MINIMUM_BYTES ? null : chooseEncoding(acceptEncoding ?? "", FASTEST_FIRST);
  headers.delete("content-length");
  if (encoding === null) return new Response(body, { status, headers });
  headers.set("content-encoding", encoding);
  return new Response(await compress(body, encoding), { status, headers });
}

/** Compresses as fast as an answer has to be sent. */
export function compress(body: Buffer<ArrayBuffer>, encoding: Encoding): Promise<Buffer<ArrayBuffer>> {
  if (encoding === "gzip") return zip(body);
  if (encoding === "zstd") return zstd(body);
  const { BROTLI_PARAM_QUALITY, BROTLI_PARAM_SIZE_HINT } = constants;
  return brotli(body, {
    params: { [BROTLI_PARAM_QUALITY]: BROTLI_QUALITY, [BROTLI_PARAM_SIZE_HINT]: body.length },
  });
}

/**
 * The first of `encodings` that the header allows; null when it allows none. An encoding with `q=0` is not allowed.
 */
export function chooseEncoding<Name extends Encoding>(
  acceptEncoding: string,
  encodings: readonly Name[],
): Name | null {
  const allowed = new Map<string, boolean>();
  for (const entry of acceptEncoding.toLowerCase().split(",")) {
    const [name = "", ...parameters] = entry.split(";").map((part) => part.trim());
    allowed.set(name, !parameters.some((parameter) => /^q=0(?:\.0*)?$/.test(parameter)));
  }
  // Old clients that accept everything do not know zstd.
  const byDefault = (name: Encoding) => name !== "zstd" && (allowed.get("*") ?? false);
  return encodings.find((name) => allowed.get(name) ?? byDefault(name)) ?? null;
}
