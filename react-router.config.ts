import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { brotliCompress, gzip } from "node:zlib";
import type { Config } from "@react-router/dev/config";

export default {
  appDirectory: "app",
  ssr: true,
  // The sitemap is small: sending it with the page saves a request for every link in view.
  routeDiscovery: { mode: "initial" },
  // One file for a route and the code that sends its form: app/connection loads it before it is needed.
  splitRouteModules: false,
  buildEnd: ({ reactRouterConfig }) =>
    compressAssets(join(reactRouterConfig.buildDirectory, "client", "assets")),
} satisfies Config;

const brotli = promisify(brotliCompress);
const zip = promisify(gzip);

/** Below this a compressed copy saves nothing worth a file. */
const WORTH_COMPRESSING_BYTES = 1_000;

/** Writes .br and .gz beside the browser's files, so that the server never compresses them itself. */
async function compressAssets(folder: string): Promise<void> {
  const names = (await readdir(folder)).filter((name) => /\.(?:js|css|svg)$/.test(name));
  await Promise.all(
    names.map(async (name) => {
      const path = join(folder, name);
      const content = await readFile(path);
      if (content.length < WORTH_COMPRESSING_BYTES) return;
      await writeFile(`${path}.br`, await brotli(content));
      await writeFile(`${path}.gz`, await zip(content, { level: 9 }));
    }),
  );
}
