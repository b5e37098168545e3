import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { brotliCompress, gzip } from "node:zlib";
import type { Config } from "@react-router/dev/config";

export default {
  appDirectory: "app",
  ssr: true,
  // There are few routes: sending them all with the page saves a request for every link in view.
  routeDiscovery: { mode: "initial" },
  // A route and the code that submits its form stay in one file: app/connection loads it in advance.
  splitRouteModules: false,
  buildEnd: async ({ reactRouterConfig }) => {
    const client = join(reactRouterConfig.buildDirectory, "client");
    await Promise.all([client, join(client, "assets")].map(compressFiles));
  },
} satisfies Config;

const compressBrotli = promisify(brotliCompress);
const compressGzip = promisify(gzip);

/** A compressed copy of a smaller file saves too little. */
const COMPRESSION_MINIMUM_BYTES = 1_000;

/** Writes .br and .gz copies of the browser's files, so that the server does not compress them on each request. */
async function compressFiles(folder: string): Promise<void> {
  const names = (await readdir(folder)).filter((name) => /\.(?:js|json|css|svg)$/.test(name));
  await Promise.all(
    names.map(async (name) => {
      const path = join(folder, name);
      const content = await readFile(path);
      if (content.length < COMPRESSION_MINIMUM_BYTES) return;
      await writeFile(`${path}.br`, await compressBrotli(content));
      await writeFile(`${path}.gz`, await compressGzip(content, { level: 9 }));
    }),
  );
}
