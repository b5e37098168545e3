import { join } from "node:path";
import type { Context, Hono } from "hono";
import {
  type ExtensionBrowser,
  type ExtensionZip,
  makeExtensionZip,
} from "#app/extension-api/extension-zip.ts";
import type { AppEnv } from "./request-scope.ts";

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
