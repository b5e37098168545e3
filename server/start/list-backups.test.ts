import { mkdtempSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { adviseRestore, listBackups } from "./list-backups.ts";

const now = new Date("2026-11-27T12:00:00Z");

test("backups are listed with age, size, encryption and whether they were verified, and what to do next", () => {
  const folder = mkdtempSync(join(tmpdir(), "list-backups-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  expect(listBackups(folder, { now, isEncrypted: true })).toEqual([
    `There is no backup in ${folder}. Make one: npm run backup -- --nightly`,
  ]);
  expect(adviseRestore(folder, now)).toEqual({
    remedy: `There is no backup in ${folder}. If you have a copy elsewhere: npm run restore -- FILE`,
  });
  const add = (name: string, at: string) => {
    writeFileSync(join(folder, name), "x".repeat(1_500_000));
    utimesSync(join(folder, name), new Date(at), new Date(at));
  };
  add("daypass-2026-11-20T01-00-00Z.zip", "2026-11-20T01:00:00Z");
  add("daypass-2026-11-26T01-00-00Z.zip.age", "2026-11-26T01:00:00Z");
  add("daypass-2026-11-27T01-00-00Z.zip.age.unverified", "2026-11-27T01:00:00Z");
  add("mine.zip", "2026-11-27T01:00:00Z");
  const newest = "daypass-2026-11-26T01-00-00Z.zip.age";
  const command = `npm run restore -- '${join(folder, newest)}'`;
  expect(adviseRestore(folder, now)).toEqual({
    remedy: `The newest backup is ${newest} (35 hours ago, not verified). It needs the BACKUP_PASSPHRASE that it was made with. To restore it:`,
    command,
  });
  expect(listBackups(folder, { now, isEncrypted: true }).at(-1)).toMatch(/^None of them was verified/);
  writeFileSync(join(folder, "verified.txt"), "daypass-2026-11-26T01-00-00Z.zip.age\n");
  const lines = listBackups(folder, { now, isEncrypted: true });
  expect(lines.map((line) => line.replaceAll(/ {2,}/g, "  "))).toEqual([
    `Backups in ${folder}:`,
    "11 hours ago  1.5 MB  encrypted  check failed  daypass-2026-11-27T01-00-00Z.zip.age.unverified",
    "35 hours ago  1.5 MB  encrypted  verified  daypass-2026-11-26T01-00-00Z.zip.age",
    "7 days ago  1.5 MB  not encrypted  not verified  daypass-2026-11-20T01-00-00Z.zip",
    "",
    `To restore the newest verified one into an empty DATA_DIR or database: npm run restore -- '${join(folder, "daypass-2026-11-26T01-00-00Z.zip.age")}'`,
    "It needs the BACKUP_PASSPHRASE that it was made with.",
  ]);
});

test("the list of backups shows the minutes of a new one, and says beside one without its keys: keep them, the next one has them", () => {
  const folder = mkdtempSync(join(tmpdir(), "list-backups-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const name = "daypass-2026-11-27T11-59-00Z.zip";
  writeFileSync(join(folder, name), "x");
  utimesSync(join(folder, name), new Date("2026-11-27T11:59:00Z"), new Date("2026-11-27T11:59:00Z"));
  writeFileSync(join(folder, "verified.txt"), `${name}\n`);
  const lines = listBackups(folder, { now, isEncrypted: true });
  expect(lines[1]).toMatch(/^1 minute ago/);
  expect(lines.slice(-2)).toEqual([
    "The keys of the shop are not in it: also keep them.",
    "The next backup is encrypted and contains the keys.",
  ]);
});
