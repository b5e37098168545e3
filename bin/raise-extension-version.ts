import { createHash } from "node:crypto";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { isOlderVersion } from "#contracts/compare-versions.ts";
import { isMain } from "./run-command.ts";

// Raises the version of the browser extension after a change of its sources, so that buyers hear of the new zip:
// node bin/daypass.mjs exec bin/raise-extension-version.ts [VERSION]

const ROOT = join(import.meta.dirname, "..");
export const VERSION_FILE = "contracts/extension-version.ts";
/** What the extension is built from. It uses all contracts. */
const SOURCES = ["contracts", "extension"];
/** Tests, what they share, and what the build writes. */
const NOT_BUILT = /\.test\.tsx?$|\/\.wxt\//;
const VERSION = /(?<=EXTENSION_VERSION = ")[^"]*/;
const SOURCES_HASH = /(?<=EXTENSION_SOURCES =\s+")[^"]*/;

/** SHA-256 in hex of what the extension is built from, by name and content. */
export function hashExtensionSources(root: string): string {
  const files = SOURCES.flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => relative(root, join(entry.parentPath, entry.name)).replaceAll("\\", "/")),
  );
  const hash = createHash("sha256");
  for (const file of files.sort()) {
    if (NOT_BUILT.test(file) || file === VERSION_FILE) continue;
    const content = readFileSync(join(root, file));
    hash.update(`${file}\0${content.length}\0`).update(content);
  }
  return hash.digest("hex");
}

/**
 * @param source of the file with the version
 * @param hash of the sources now
 * @param next the new version; absent: the last number is raised by one
 * @returns the new source; the same source when the version has these sources
 * @throws Error when `next` is no version, or not newer than the present one
 */
export function raiseVersion(source: string, hash: string, next?: string): string {
  const [version = ""] = VERSION.exec(source) ?? [];
  if (SOURCES_HASH.exec(source)?.[0] === hash && next === undefined) return source;
  const raised = next ?? version.replace(/\d+$/, (last) => String(Number(last) + 1));
  if (!/^\d{1,5}(?:\.\d{1,5}){0,3}$/.test(raised)) throw new Error(`"${raised}" is no version`);
  if (!isOlderVersion(version, raised)) throw new Error(`${raised} is not newer than ${version}`);
  return source.replace(VERSION, raised).replace(SOURCES_HASH, hash);
}

if (isMain(import.meta.url)) {
  const file = join(ROOT, VERSION_FILE);
  const raised = raiseVersion(readFileSync(file, "utf8"), hashExtensionSources(ROOT), process.argv[2]);
  writeFileSync(file, raised);
  console.log(`The version of the extension is ${VERSION.exec(raised)?.[0]}.`);
}
