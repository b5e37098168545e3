/**
 * `npm run release [-- FOLDER]`: refuses a version without an entry in CHANGELOG.md, builds the shop and writes
 * daypass-VERSION.tgz and its checksum into FOLDER, which is `release` unless given. VERSION is the version in package.json. The
 * archive has the build and what runs it, so a server installs it with `npm ci --omit=dev` and needs no tool of the build.
 */
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, join, relative, resolve } from "node:path";
import { z } from "zod";
import { ensureBuilt } from "./build.mjs";
import { isMain, ROOT } from "./run-command.ts";

/** The files and folders of a release. `server` has the start, which runs before the build is loaded. */
const CONTENT = [
  ".dockerignore",
  "package.json",
  "package-lock.json",
  ".npmrc",
  ".nvmrc",
  "LICENSE",
  "CHANGELOG.md",
  "README.md",
  "bin/build.mjs",
  "bin/daypass.mjs",
  "bin/install-release.ts",
  "bin/node-runtime.mjs",
  "bin/releases.mjs",
  "bin/supervise.mjs",
  "bin/upgrade.ts",
  "build",
  "db/migrations",
  "db/seed",
  "deploy",
  "docs",
  "server",
];
/** What belongs to the computer that has made the build. */
const LEFT_OUT = ["build/compile-cache", "build/stamp", "deploy/.env"];

/** @param into the folder, which is made when it is missing @returns the path of the archive; its checksum is beside it */
export async function writeRelease(into: string): Promise<string> {
  const { version } = z
    .object({ version: z.string() })
    .parse(JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")));
  requireEntry(readFileSync(join(ROOT, "CHANGELOG.md"), "utf8"), version);
  await ensureBuilt(ROOT, { signal: undefined });
  mkdirSync(into, { recursive: true });
  const name = `daypass-${version}`;
  const staging = mkdtempSync(join(into, ".release-"));
  try {
    for (const path of CONTENT) {
      cpSync(join(ROOT, path), join(staging, name, path), { recursive: true, filter: isReleased });
    }
    const file = join(into, `${name}.tgz`);
    execFileSync("tar", ["-czf", file, "--owner=0", "--group=0", "-C", staging, name]);
    const checksum = createHash("sha256").update(readFileSync(file)).digest("hex");
    writeFileSync(`${file}.sha256`, `${checksum}  ${basename(file)}\n`);
    return file;
  } finally {
    rmSync(staging, { recursive: true, force: true });
  }
}

function isReleased(path: string): boolean {
  return !/\.test\.ts$/.test(path) && !LEFT_OUT.includes(relative(ROOT, path));
}

/** @throws Error when the changelog has no entry for the version */
export function requireEntry(changelog: string, version: string): void {
  const [, entry] = changelog.split(`\n## [${version}] - `);
  const [, ...lines] = (entry?.split("\n## ")[0] ?? "").split("\n");
  if (lines.every((line) => line === ""))
    throw new Error(`CHANGELOG.md says nothing under "## [${version}] - DATE". Nothing was written.`);
}

if (isMain(import.meta.url))
  try {
    console.log(`Written: ${await writeRelease(resolve(process.argv[2] ?? "release"))}`);
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    process.exitCode = 1;
  }
