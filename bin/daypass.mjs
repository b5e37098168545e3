#!/usr/bin/env node
// The commands behind package.json's scripts. This file, node-runtime.mjs and supervise.mjs must run on Node 20.
import { existsSync, realpathSync } from "node:fs";
import module from "node:module";
import { join, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { endWithParent, fetchNode, isNewEnough, runOn } from "./node-runtime.mjs";
import { mayRestart, READY, supervise } from "./supervise.mjs";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const [command = "", ...args] = process.argv.slice(2);

/** Of a command that a running shop starts: after an upgrade of the sources it must not replace the build that the shop serves. */
const AS_BUILT = "--as-built";

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
  doctor: () => runShop("doctor", "production"),
};

try {
  process.exitCode = await main();
} catch (error) {
  console.error(error instanceof Error ? error.message : String(error));
  process.exitCode = 1;
}

async function main() {
  const run = Object.hasOwn(COMMANDS, command) ? COMMANDS[command] : undefined;
  if (run === undefined) throw new Error(`Usage: node bin/daypass.mjs ${Object.keys(COMMANDS).join("|")}`);
  process.chdir(ROOT);
  const node = isNewEnough(process.versions.node) ? process.execPath : await fetchNode(ROOT);
  const self = [...process.execArgv, fileURLToPath(import.meta.url)];
  if (command === "start" && mayRestart(process.env.NO_RESTART)) {
    return supervise(node, [...self, "supervised-start", ...args]);
  }
  if (node !== process.execPath) return runOn(node, [...self, command, ...args]);
  endWithParent();
  return (await run()) ?? process.exitCode ?? 0;
}

async function runShop(task, mode) {
  process.env.NODE_ENV ??= mode;
  // Node keeps the compiled code of the shop and its packages, so that the next start is faster. It does not fail when the
  // folder cannot be written. Node 20 has no such cache.
  module.enableCompileCache?.(join(ROOT, "build", "compile-cache"));
  const { ensureBuilt } = await import("./build.mjs");
  const { runTask } = await import("../server/main.ts");
  const code = await runTask(task, {
    build: async (signal) => {
      if (!args.includes(AS_BUILT)) await ensureBuilt(ROOT, { signal });
    },
    onReady: () => process.send?.(READY),
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
