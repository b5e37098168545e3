import { execFile } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterEach, beforeEach, expect, test } from "vitest";
import { findHolder, takeHolderFile } from "./holder-file.ts";
import { startMark } from "./processes.ts";
import { HeldError } from "./startup-error.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "daypass-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

const since = "2026-01-01T00:00:00.000Z";
const leave = (generation: number, content: string) =>
  writeFileSync(join(folder, `holder.${generation}.json`), content);

test("is refused while held, by the same process too, and free again afterwards", () => {
  const giveBack = takeHolderFile(folder, "/shop/data");
  expect(findHolder(folder)?.pid).toBe(process.pid);
  expect(() => takeHolderFile(folder, "/shop/data")).toThrow(HeldError);
  expect(() => takeHolderFile(folder, "/shop/data")).toThrow(
    `/shop/data is in use by process ${process.pid} since 2`,
  );
  giveBack();
  expect(findHolder(folder)).toBeUndefined();
  takeHolderFile(folder, "/shop/data")();
  expect(readdirSync(folder)).toEqual(["holder.2.json"]);
});

test("a process that got a dead holder's number is not taken for it", () => {
  leave(4, JSON.stringify({ pid: process.pid, mark: "another boot/1", since }));
  expect(findHolder(folder)).toBeUndefined();
  takeHolderFile(folder, "/shop/data");
  expect(readdirSync(folder)).toEqual(["holder.5.json"]);
});

test("the newest file counts, and one that a power cut left empty holds nothing", () => {
  leave(1, JSON.stringify({ pid: process.pid, mark: startMark(process.pid), since }));
  expect(findHolder(folder)).toEqual({ pid: process.pid, mark: startMark(process.pid), since });
  leave(2, "");
  expect(findHolder(folder)).toBeUndefined();
});

test("drafts of killed processes are swept, those of living ones stay", () => {
  writeFileSync(join(folder, "holder.draft-4194304-x"), "");
  writeFileSync(join(folder, `holder.draft-${process.pid}-x`), "");
  takeHolderFile(folder, "/shop/data");
  expect(readdirSync(folder).sort()).toEqual(["holder.1.json", `holder.draft-${process.pid}-x`]);
});

test("never has two holders, however many want it", async () => {
  const program = `
    const { rmSync, writeFileSync } = await import("node:fs");
    const { takeHolderFile } = await import(${JSON.stringify(new URL("./holder-file.ts", import.meta.url))});
    let taken = 0;
    for (const end = Date.now() + 1500; Date.now() < end; ) {
      let giveBack;
      try { giveBack = takeHolderFile(process.argv[1], "") } catch (error) {
        if (error.name === "HeldError") continue;
        throw error;
      }
      const inside = process.argv[1] + "/inside";
      writeFileSync(inside, "", { flag: "wx" });
      rmSync(inside);
      giveBack();
      taken += 1;
    }
    console.log(taken);
  `;
  const run = () => promisify(execFile)(process.execPath, ["--input-type=module", "-e", program, folder]);
  const counts = (await Promise.all(Array.from({ length: 6 }, run))).map(({ stdout }) => Number(stdout));
  expect(counts.every((count) => count > 0)).toBe(true);
}, 20_000);
