// A new clone, then a release of it: time of the installation and of `npm start` to the first page, warm restarts, sizes and
// idle memory.
// node bin/daypass.mjs exec bench/start-up.ts

import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort } from "../tests/free-port.ts";
import {
  createDataDir,
  listPostmasters,
  median,
  ROOT,
  readResidentMiB,
  startShop,
  stopShop,
} from "./support/shop-process.ts";

const TIMES = 5;
const seconds = (ms: number) => `${(ms / 1000).toFixed(1)} s`;

function makeFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "daypass-start-up-"));
  chmodSync(folder, 0o755);
  return folder;
}

async function measure(name: string, folder: string, install: string[]): Promise<void> {
  console.log(`\n${name}`);
  const began = performance.now();
  execFileSync("npm", install, { cwd: folder, stdio: "inherit" });
  console.log(`npm ${install.join(" ")}: ${seconds(performance.now() - began)}`);
  const [size] = execFileSync("du", ["-sh", "node_modules"], { cwd: folder }).toString().split("\t");
  console.log(`node_modules: ${size}`);

  const port = await freePort();
  const dataDir = createDataDir();
  const first = await startShop({ dataDir, port, cwd: folder, withinMs: 180_000 });
  await (await fetch(first.url)).text();
  console.log(`first npm start to a ready shop: ${seconds(first.startedInMs)}`);
  await stopShop(first);

  const warm: number[] = [];
  const stops: number[] = [];
  for (let i = 0; i < TIMES; i++) {
    const shop = await startShop({ dataDir, port, cwd: folder });
    warm.push(shop.startedInMs);
    if (i === TIMES - 1) {
      // Idle: no requests for 20 seconds. The shop frees the memory of its start after ten.
      await Promise.race([once(shop.child, "exit"), new Promise((resolve) => setTimeout(resolve, 20_000))]);
      const app = readResidentMiB(shop.child.pid ?? 0);
      const database = listPostmasters(dataDir).reduce((sum, pid) => sum + readResidentMiB(pid), 0);
      console.log(`idle memory: app ${app} MiB, database ${database} MiB`);
    }
    const stopping = performance.now();
    await stopShop(shop);
    stops.push(performance.now() - stopping);
  }
  console.log(
    `warm restart: median ${seconds(median(warm))} of ${TIMES}; stop: median ${seconds(median(stops))}`,
  );
  execFileSync("rm", ["-rf", dataDir]);
}

const clone = makeFolder();
execFileSync("git", ["clone", "-q", ROOT, clone]);
await measure("clone", clone, ["ci", "--silent"]);

const release = makeFolder();
execFileSync(process.execPath, ["bin/daypass.mjs", "exec", "bin/write-release.ts", release], { cwd: clone });
execFileSync("sh", ["-c", "tar -xzf *.tgz --strip-components=1"], { cwd: release });
await measure("release", release, ["ci", "--omit=dev", "--silent"]);
execFileSync("rm", ["-rf", clone, release]);
