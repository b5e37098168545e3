import { existsSync } from "node:fs";
import { join } from "node:path";
import { serveStatic } from "@hono/node-server/serve-static";
import type { Hono } from "hono";
import type { AppEnv } from "./app.ts";

const ONE_YEAR = "public, max-age=31536000, immutable";
const ONE_HOUR = "public, max-age=3600";

/**
 * Serves the built browser files. Those under /assets carry a hash of their content in their name and never change;
 * compressed copies made by the build are preferred.
 */
export function mountStaticFiles(app: Hono<AppEnv>, clientFolder: string): void {
  if (!existsSync(clientFolder)) throw new Error(`${clientFolder} is missing: build the shop first`);
  const files = (cacheControl: string) =>
    serveStatic<AppEnv>({
      root: clientFolder,
      precompressed: true,
      onFound: (_path, c) => {
        c.header("cache-control", cacheControl);
      },
    });
  app.use("/assets/*", files(ONE_YEAR));
  app.get("/assets/*", (c) => c.text("Not found.", 404));
  for (const name of ["favicon.svg", "favicon.ico", "robots.txt"]) {
    if (existsSync(join(clientFolder, name))) app.get(`/${name}`, files(ONE_HOUR));
  }
}
