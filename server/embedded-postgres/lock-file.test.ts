import { execFile } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterEach, beforeEach, expect, test } from "vitest";
import { acquireLockFile, findLockHolder } from "./lock-file.ts";
import { processStartMark } from "./processes.ts";
import { DataDirInUseError } from "./startup-error.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "daypass-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

const since = "2026-01-01T00:00:00.000Z";
const writeLockFile = (generation: number, content: string) =>
  writeFileSync(join(folder, `holder.${generation}.json`), content);

/** The holder's socket has a new name each time. */
const filesIn = (folder: string) =>
  readdirSync(folder)
    .filter((name) => !name.endsWith(".sock"))
    .toSorted();

test("a held lock is refused, also to its own process, and is free again after its release", () => {
  const release = acquireLockFile(folder, "/shop/data");
  expect(findLockHolder(folder)?.pid).toBe(process.pid);
  expect(() => acquireLockFile(folder, "/shop/data")).toThrow(DataDirInUseError);
  expect(() => acquireLockFile(folder, "/shop/data")).toThrow(
    `/shop/data is in use by process ${process.pid} since 2`,
  );
  release();
  expect(findLockHolder(folder)).toBeUndefined();
  acquireLockFile(folder, "/shop/data")();
  expect(readdirSync(folder)).toEqual(["holder.2.json"]);
});

test("a process that has the id of an ended holder does not count as the holder", () => {
  writeLockFile(4, JSON.stringify({ pid: process.pid, mark: "another boot/1", since }));
  expect(findLockHolder(folder)).toBeUndefined();
  acquireLockFile(folder, "/shop/data");
  expect(filesIn(folder)).toEqual(["holder.5.json"]);
});

test("the newest lock file names the holder, and a file that a power cut left empty names none", () => {
  writeLockFile(1, JSON.stringify({ pid: process.pid, mark: processStartMark(process.pid), since }));
  expect(findLockHolder(folder)).toEqual({ pid: process.pid, mark: processStartMark(process.pid), since });
  writeLockFile(2, "");
  expect(findLockHolder(folder)).toBeUndefined();
});

test("drafts of ended processes are removed and those of running processes stay", () => {
  writeFileSync(join(folder, "holder.draft-4194304-x"), "");
  writeFileSync(join(folder, `holder.draft-${process.pid}-x`), "");
  acquireLockFile(folder, "/shop/data");
  expect(filesIn(folder)).toEqual(["holder.1.json", `holder.draft-${process.pid}-x`]);
});

test.runIf(process.platform === "linux")(
  "a holder in another container is refused as long as it runs, and not after it was killed",
  () => {
    const release = acquireLockFile(folder, "/shop/data");
    const held = JSON.parse(readFileSync(join(folder, "holder.1.json"), "utf8"));
    // As it looks from another container: the pid belongs to another process, or to none.
    const elsewhere = { ...held, pid: 4_194_304, mark: "this boot/1", namespace: "pid:[1]" };
    writeLockFile(1, JSON.stringify(elsewhere));
    expect(() => acquireLockFile(folder, "/shop/data")).toThrow(DataDirInUseError);
    expect(readdirSync(folder).toSorted()).toEqual([held.socket, "holder.1.json"].toSorted());
    release();
    // A kill leaves the file, and a socket that nobody hears.
    for (const socket of [held.socket, undefined]) {
      writeLockFile(1, JSON.stringify({ ...elsewhere, socket }));
      expect(findLockHolder(folder)).toBeUndefined();
    }
    acquireLockFile(folder, "/shop/data")();
  },
);

test("a lock never has two holders, however many processes try to acquire it", async () => {
  const program = `
    const { rmSync, writeFileSync } = await import("node:fs");
    const { acquireLockFile } = await import(${JSON.stringify(new URL("./lock-file.ts", import.meta.url))});
    let acquired = 0;
    for (const end = Date.now() + 1500; Date.now() < end; ) {
      let release;
      try { release = acquireLockFile(process.argv[1], "") } catch (error) {
        if (error.name === "DataDirInUseError") continue;
        throw error;
      }
      const inside = process.argv[1] + "/inside";
      writeFileSync(inside, "", { flag: "wx" });
      rmSync(inside);
      release();
      acquired += 1;
    }
    console.log(acquired);
  `;
  const run = () => promisify(execFile)(process.execPath, ["--input-type=module", "-e", program, folder]);
  const counts = (await Promise.all(Array.from({ length: 6 }, run))).map(({ stdout }) => Number(stdout));
  expect(counts.every((count) => count > 0)).toBe(true);
}, 20_000);
