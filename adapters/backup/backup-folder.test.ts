import { existsSync, mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, expect, onTestFinished, test } from "vitest";
import { deleteDrafts, deleteOldBackups, markUnverified } from "./backup-folder.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "backup-folder-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
});

function write(name: string, { minutesAgo = 0 } = {}): string {
  const path = join(folder, name);
  writeFileSync(path, "content");
  const time = new Date(Date.now() - minutesAgo * 60_000);
  utimesSync(path, time, time);
  return path;
}

test("drafts of killed commands are deleted, and those that are still written are not", async () => {
  const draft = "daypass-2026-11-24T22-00-00Z.zip.4711.part";
  const decrypted = "0193a1b2-1111-4222-8333-444455556666.tmp";
  const others = ["notes.part", "notes.tmp", "daypass-2026-11-24T22-00-00Z.zip"];
  for (const name of [draft, decrypted, ...others]) write(name, { minutesAgo: 11 });
  const fresh = write("daypass-2026-11-24T22-00-00Z.zip.4712.part", { minutesAgo: 1 });
  await deleteDrafts(folder);
  expect(existsSync(fresh)).toBe(true);
  expect(readdirSync(folder)).toHaveLength(others.length + 1);
  for (const name of others) expect(existsSync(join(folder, name))).toBe(true);
  await expect(deleteDrafts(join(folder, "missing"))).resolves.toBeUndefined();
});

test("old backups are deleted from the folder, the last verified one and other files are not", async () => {
  const old = write("daypass-2026-11-24T10-00-00Z.zip");
  const verified = write("daypass-2026-11-24T11-00-00Z.zip.age");
  const newest = write("daypass-2026-11-24T12-00-00Z.zip");
  const other = write("daypass-export.zip");
  const deleted = await deleteOldBackups(folder, { timeZone: "UTC", verified });
  expect(deleted).toEqual(["daypass-2026-11-24T10-00-00Z.zip"]);
  expect([old, verified, newest, other].map((path) => existsSync(path))).toEqual([false, true, true, true]);
});

test("a backup that could not be verified gets another ending, and is deleted once there is a newer one", async () => {
  const path = write("daypass-2026-11-24T10-00-00Z.zip");
  const renamed = await markUnverified(path);
  expect(readdirSync(folder)).toEqual(["daypass-2026-11-24T10-00-00Z.zip.unverified"]);
  expect(await deleteOldBackups(folder, { timeZone: "UTC", verified: null })).toEqual([]);
  write("daypass-2026-11-24T11-00-00Z.zip");
  await deleteOldBackups(folder, { timeZone: "UTC", verified: null });
  expect(existsSync(renamed)).toBe(false);
});
