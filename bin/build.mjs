import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, relative, sep } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { takeLock } from "./node-runtime.mjs";

const SOURCES = [
  "adapters",
  "app",
  "contracts",
  "core",
  "db",
  "extension",
  "import-old-shop",
  "languages",
  "public",
  "server",
  "package.json",
  "package-lock.json",
  "react-router.config.ts",
  "tsconfig.json",
  "vite.config.ts",
];

/** The build failed. The message is one sentence for the person at the terminal. */
class BuildError extends Error {
  name = "BuildError";
}

/** Builds the shop unless build/ was made from the current sources. */
export async function ensureBuilt(root, { signal }) {
  if (isCurrent(root)) return;
  const unlock = await lockBuild(root, signal);
  try {
    if (isCurrent(root)) return;
    // Not on standard output, which a program may read.
    console.error("Building …");
    await build(root, { quiet: true, signal });
  } finally {
    unlock();
  }
}

export async function build(root, { quiet, signal }) {
  const stamp = fingerprint(root);
  rmSync(stampFile(root), { force: true });
  await runBuild(root, { quiet, signal }, [join("@react-router", "dev", "bin.cjs"), "build"]);
  for (const browser of ["chrome", "firefox"]) {
    const wxt = join("wxt", "bin", "wxt.mjs");
    await runBuild(root, { quiet, signal }, [
      wxt,
      "build",
      "extension",
      "--browser",
      browser,
      "--level",
      "warn",
    ]);
  }
  writeFileSync(stampFile(root), stamp);
}

/** Runs a program of a package. Its output is shown when it fails. */
async function runBuild(root, { quiet, signal }, [program, ...args]) {
  const file = join(root, "node_modules", program);
  if (!existsSync(file)) {
    throw new BuildError(
      "The packages of the build are not installed: run npm ci first, without NODE_ENV=production and without --omit=dev.",
    );
  }
  const child = spawn(process.execPath, [file, ...args], {
    cwd: root,
    env: { ...process.env, NODE_ENV: "production" },
    stdio: ["ignore", quiet ? "pipe" : "inherit", quiet ? "pipe" : "inherit"],
    ...(signal ? { signal } : {}),
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on("data", (chunk) => {
      output += chunk;
    });
  }
  const code = await new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", resolve);
  });
  if (code !== 0) {
    process.stderr.write(output);
    throw new BuildError("The build failed; what it said is above.");
  }
}

/** A release has a build and no sources to build it from. */
function isReleased(root) {
  return !existsSync(join(root, "vite.config.ts")) && existsSync(join(root, "build", "server", "index.js"));
}

function isCurrent(root) {
  if (isReleased(root)) return true;
  if (!existsSync(stampFile(root)) || !existsSync(join(root, "build", "server", "index.js"))) return false;
  return readFileSync(stampFile(root), "utf8") === fingerprint(root);
}

/** A hash of the sources by content: file times change with a checkout or a copy, and may stay when a file changes. */
function fingerprint(root) {
  const hash = createHash("sha256").update(process.versions.node.split(".")[0] ?? "");
  for (const file of SOURCES.flatMap((source) => filesIn(root, source))) {
    const content = readFileSync(join(root, file));
    hash.update(`${file}\0${content.length}\0`).update(content);
  }
  return hash.digest("hex");
}

function filesIn(root, source) {
  if (!existsSync(join(root, source))) return [];
  if (/\.[a-z]+$/.test(source)) return [source];
  return (
    readdirSync(join(root, source), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && !/\.test\.tsx?$/.test(entry.name))
      .map((entry) => relative(root, join(entry.parentPath, entry.name)))
      // The build of the extension writes it.
      .filter((file) => !file.includes(`${sep}.wxt${sep}`))
      .sort()
  );
}

function stampFile(root) {
  return join(root, "build", "stamp");
}

/** Prevents that two starts write to build/ at the same time. */
async function lockBuild(root, signal) {
  for (;;) {
    const taken = takeLock(join(root, ".runtime", "build-lock"));
    if (typeof taken === "function") return taken;
    await delay(200, undefined, { signal });
  }
}
