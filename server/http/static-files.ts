import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Context, Hono } from "hono";
import { chooseEncoding, STORED_ENCODINGS } from "./compress-response.ts";
import type { AppEnv } from "./request-scope.ts";

const ONE_YEAR = "public, max-age=31536000, immutable";
const ONE_HOUR = "public, max-age=3600";

const TYPES: Readonly<Record<string, string>> = {
  css: "text/css; charset=utf-8",
  ico: "image/x-icon",
  js: "text/javascript; charset=utf-8",
  json: "application/json",
  png: "image/png",
  svg: "image/svg+xml",
  txt: "text/plain; charset=utf-8",
  webp: "image/webp",
};

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
  for (const name of ["favicon.svg", "favicon.ico", "share.png"]) add(name, ONE_HOUR);

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
  if (file === undefined) return c.text("Not found.", 404);
  c.set("isCode", file.type === TYPES.css || file.type === TYPES.js);
  const encoding = chooseEncoding(c.req.header("accept-encoding") ?? "", STORED_ENCODINGS);
  const compressed = encoding === null ? undefined : file[encoding];
  const headers = {
    "content-type": file.type,
    "cache-control": file.cacheControl,
    vary: "Accept-Encoding",
    ...(compressed && encoding ? { "content-encoding": encoding } : {}),
  };
  return new Response(c.req.method === "HEAD" ? null : (compressed ?? file.plain), { headers });
}
