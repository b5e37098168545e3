#!/usr/bin/env node
// The commands behind package.json's scripts. This file, node-runtime.mjs and supervise.mjs must run on Node 20.
import { existsSync, realpathSync } from "node:fs";
import module from "node:module";
import { join, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { endWithParent, fetchNode, isNewEnough, runOn } from "./node-runtime.mjs";
import {
  chooseRelease,
  folderOf,
  homeOf,
  readCurrent,
  releaseOf,
  watchRelease,
  writeRunning,
} from "./releases.mjs";
import { mayRestart, READY, supervise } from "./supervise.mjs";

/** The folder of this code. */
const ROOT = resolve(fileURLToPath(new URL("..", import.meta.url)));
/** The folder that the shop was installed in. Relative paths in settings and arguments start there. */
const HOME = homeOf(ROOT);
const [command = "", ...args] = process.argv.slice(2);

/**
 * The flag of a command that a running shop starts: after an upgrade of the sources it must not replace the build that is served.
 */
const AS_BUILT = "--as-built";

/** Settings of a database that PostgreSQL's programs and libraries read. Another project's settings must not reach ours. */
const OF_POSTGRES = /^PG(?!PASSWORD$|PASSFILE$)[A-Z]+$/;

const COMMANDS = {
  start: () => runShop("start", "production"),
  // `start` runs this in a process of its own, so that a crash does not end the supervisor.
  "supervised-start": () => runShop("start", "production"),
  dev: () => runShop("dev", "development"),
  build: async () => {
    const { build } = await import("./build.mjs");
    await build(ROOT, { quiet: false });
  },
  verify: () => execute("bin/verify.ts", args),
  exec: () => execute(args[0], args.slice(1)),
  bin: () => runInstalled(args[0], args.slice(1)),
  "admin-reset": () => runShop("admin-reset", "production"),
  "vault-rotate": () => runShop("vault-rotate", "production"),
  "keys-give-up": () => runShop("keys-give-up", "production"),
  import: () => runShop("import", "production"),
  backup: () => runShop("backup", "production"),
  restore: () => runShop("restore", "production"),
  upgrade: async () => {
    const { runUpgrade } = await import("./upgrade.ts");
    return runUpgrade(args, { home: HOME });
  },
  doctor: () => runShop("doctor", "production"),
};

try {
  const release = ROOT === HOME ? findRelease() : null;
  if (release === null) process.exitCode = await main();
  // In this process, because another process would need 45 MB as long as the shop runs.
  else await import(pathToFileURL(join(folderOf(HOME, release), "bin", "daypass.mjs")).href);
} catch (error) {
  console.error(error instanceof Error ? error.message : String(error));
  process.exitCode = 1;
}

/**
 * The release that `npm run upgrade` has put in the place of this code. Null when there is none, and for commands that are about
 * the sources.
 */
function findRelease() {
  if (["dev", "build", "verify", "exec", "bin"].includes(command)) return null;
  const startsShop =
    command === "supervised-start" || (command === "start" && !mayRestart(process.env.NO_RESTART));
  // On an older Node the command runs once more, on a newer one: it is one start.
  const isStart = startsShop && isNewEnough(process.versions.node);
  const release = isStart
    ? chooseRelease(HOME, { now: Date.now, log: (line) => console.error(line) })
    : readCurrent(HOME).release;
  if (release === null || existsSync(join(folderOf(HOME, release), "bin", "daypass.mjs"))) return release;
  throw new Error(
    `The folder ${folderOf(HOME, release)} is gone. Delete .releases/current to run the code of this folder, then run npm run upgrade again.`,
  );
}

async function main() {
  const run = Object.hasOwn(COMMANDS, command) ? COMMANDS[command] : undefined;
  if (run === undefined) throw new Error(`Usage: node bin/daypass.mjs ${Object.keys(COMMANDS).join("|")}`);
  process.chdir(HOME);
  const node = isNewEnough(process.versions.node) ? process.execPath : await fetchNode(HOME);
  // The launcher, so that the next start runs the release that is current then. Any other command goes on with this code.
  const self = [...process.execArgv, join(command.endsWith("start") ? HOME : ROOT, "bin", "daypass.mjs")];
  if (command === "start" && mayRestart(process.env.NO_RESTART)) {
    return supervise(node, [...self, "supervised-start", ...args]);
  }
  if (node !== process.execPath) return runOn(node, [...self, command, ...args]);
  endWithParent();
  readSettingsFile();
  return (await run()) ?? process.exitCode ?? 0;
}

/**
 * The file .env beside the shop, for the commands that are about a shop. Variables win. The process that starts the shop again
 * does not read it, so that a restart finds what has changed.
 */
function readSettingsFile() {
  for (const name of Object.keys(process.env)) if (OF_POSTGRES.test(name)) delete process.env[name];
  if (["build", "verify", "exec", "bin"].includes(command)) return;
  const file = join(HOME, ".env");
  if (!existsSync(file)) return;
  try {
    process.loadEnvFile(file);
  } catch (error) {
    throw new Error(
      `The settings in ${file} cannot be read (${error.code ?? error.message}): give the file to the user who runs the shop.`,
    );
  }
}

async function runShop(task, mode) {
  process.env.NODE_ENV ??= mode;
  const running = {
    release: releaseOf(ROOT),
    pid: process.pid,
    supervisor: command === "supervised-start" ? process.ppid : null,
  };
  if (task === "start") writeRunning(HOME, { ...running, isReady: false });
  // Node keeps the compiled code of the shop and its packages, so that the next start is faster. It does not fail when the
  // folder cannot be written. Node 20 has no such cache.
  module.enableCompileCache?.(join(ROOT, "build", "compile-cache"));
  const { ensureBuilt } = await import("./build.mjs");
  const { runTask } = await import("../server/main.ts");
  const replaced = new AbortController();
  let isReady = false;
  if (task === "start") {
    watchRelease(HOME, running.release, { isReady: () => isReady, onReplaced: () => replaced.abort() });
  }
  const code = await runTask(task, {
    root: ROOT,
    build: async (signal) => {
      if (!args.includes(AS_BUILT)) await ensureBuilt(ROOT, { signal });
    },
    replaced: replaced.signal,
    onReady: () => {
      isReady = true;
      if (task === "start") writeRunning(HOME, { ...running, isReady: true });
      process.send?.(READY);
    },
    flags: args.filter((arg) => arg !== AS_BUILT),
  });
  // Open timers and sockets must not keep the process running.
  process.exit(code);
}

/** Runs a file in this process, so that signals and exit codes need not be passed on. */
async function execute(file, rest) {
  if (file === undefined) throw new Error("Usage: node bin/daypass.mjs exec <file.ts> [arguments]");
  const path = resolve(ROOT, file);
  if (!existsSync(path)) throw new Error(`There is no file ${file}.`);
  process.argv = [process.argv[0], path, ...rest];
  await import(pathToFileURL(path).href);
}

async function runInstalled(name, rest) {
  const link = join(ROOT, "node_modules", ".bin", name ?? "");
  if (name === undefined || !existsSync(link)) {
    throw new Error(`There is no command ${name ?? ""} in node_modules: run npm ci first.`);
  }
  return runOn(process.execPath, [realpathSync(link), ...rest]);
}
