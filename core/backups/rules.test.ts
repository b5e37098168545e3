import { expect, test } from "vitest";
import { nameBackup } from "#server/start/backup-arguments.ts";
import { addDays, HOUR } from "../time.ts";
import { backupTimeOf, findOldBackups, isBackupDue, isBackupOverdue, UNVERIFIED } from "./rules.ts";

const INDIA = "Asia/Kolkata";
const at = (text: string) => new Date(`${text}Z`);
const nameAt = (time: Date) => nameBackup(time, false);
/** A backup at 03:30 in India on each of the days up to one, oldest first. */
const nightly = (last: string, days: number) =>
  Array.from({ length: days }, (_, ago) => addDays(at(`${last}T22:00`), ago + 1 - days));

/** What is left in a folder in which a backup was made on each day and old ones were deleted after each. */
function keepNightByNight(times: readonly Date[], timeZone = INDIA): string[] {
  let folder: string[] = [];
  for (const time of times) {
    folder.push(nameAt(time));
    const old = findOldBackups(folder, { timeZone, verified: nameAt(time) });
    folder = folder.filter((name) => !old.includes(name));
  }
  return folder;
}
const datesOf = (names: readonly string[]) =>
  names.map((name) => backupTimeOf(name)?.toISOString().slice(0, 10));

test("the time of a backup is read from the name that the command gives, and from no other name", () => {
  const time = at("2026-11-24T22:00:07");
  expect(backupTimeOf(nameBackup(time, false))).toEqual(time);
  expect(backupTimeOf(nameBackup(time, true))).toEqual(time);
  expect(backupTimeOf(nameBackup(time, true) + UNVERIFIED)).toEqual(time);
  for (const name of [
    "daypass-2026-11-24T22-00-07Z.zip.12.part",
    "daypass-2026-13-44T22-00-07Z.zip",
    "my-daypass-2026-11-24T22-00-07Z.zip",
    "daypass-before-the-sale.zip",
    "notes.txt",
  ])
    expect(backupTimeOf(name)).toBeNull();
});

test("the last 7 days and the newest backup of each of the last 4 weeks are left after months of nights", () => {
  // 24 November 2026, 22:00 UTC is Wednesday the 25th in India, where the week began on Monday the 23rd.
  const left = datesOf(keepNightByNight(nightly("2026-11-24", 120)));
  expect(left).toEqual([
    "2026-11-07",
    "2026-11-14",
    // Also the newest of its week, which ended on Sunday the 22nd in India.
    ...["18", "19", "20", "21", "22", "23", "24"].map((day) => `2026-11-${day}`),
  ]);
});

test("the days and weeks of kept backups continue across the end of a month and of a year", () => {
  const left = datesOf(keepNightByNight(nightly("2027-01-04", 60)));
  expect(left).toEqual([
    "2026-12-19",
    "2026-12-26",
    ...["12-29", "12-30", "12-31"].map((day) => `2026-${day}`),
    ...["01", "02", "03", "04"].map((day) => `2027-01-${day}`),
  ]);
});

test("the newest of several backups on one day is kept, and the day is the store's day", () => {
  const names = ["2026-11-24T18:00", "2026-11-24T18:29", "2026-11-24T18:31", "2026-11-25T10:00"].map((time) =>
    nameAt(at(time)),
  );
  const old = (timeZone: string) => findOldBackups(names, { timeZone, verified: null });
  // Midnight in India is 18:30 UTC.
  expect(old(INDIA)).toEqual([names[2], names[0]]);
  expect(old("UTC")).toEqual([names[1], names[0]]);
});

test("a shop that was off for months loses nothing: days and weeks without a backup do not count", () => {
  const before = nightly("2026-05-10", 7).map(nameAt);
  const now = nameAt(at("2026-11-24T22:00"));
  expect(findOldBackups([...before, now], { timeZone: INDIA, verified: now })).toEqual([before[0]]);
});

test("the last verified backup, the newest one, and files with other names are never deleted", () => {
  const verified = nameAt(at("2025-01-01T22:00"));
  const others = ["notes.txt", "daypass-before-the-sale.zip", "daypass-2020-01-01T00-00-00Z.zip.7.part"];
  const names = [
    verified,
    nameAt(at("2025-01-01T23:00")),
    ...nightly("2026-11-24", 40).map(nameAt),
    ...others,
  ];
  const old = findOldBackups(names, { timeZone: INDIA, verified });
  expect(old).not.toContain(verified);
  expect(old).toContain(nameAt(at("2025-01-01T23:00")));
  for (const name of others) expect(old).not.toContain(name);
  expect(old).not.toContain(nameAt(at("2026-11-24T22:00")));
});

test("a backup that could not be verified does not count, and only the newest stays until there is a better one", () => {
  const days = nightly("2026-11-20", 7).map(nameAt);
  const bad = nightly("2026-11-24", 4).map((time) => nameAt(time) + UNVERIFIED);
  const old = findOldBackups([...days, ...bad], { timeZone: INDIA, verified: days[6] ?? null });
  expect(old.toSorted()).toEqual(bad.slice(0, 3));
  const next = nameAt(at("2026-11-25T22:00"));
  const afterwards = findOldBackups([...days, ...bad.slice(3), next], { timeZone: INDIA, verified: next });
  expect(afterwards).toEqual([bad[3]]);
});

test("a backup is due once in the hours of the night, in the store's time zone", () => {
  const verifiedAt = at("2026-11-23T22:01");
  const dueAt = (time: string, timeZone = INDIA) =>
    isBackupDue({ since: at("2026-01-01T00:00"), startedAt: verifiedAt, verifiedAt }, at(time), timeZone);
  expect(dueAt("2026-11-24T21:59")).toBe(false);
  expect(dueAt("2026-11-24T22:00")).toBe(true);
  // 06:00 in India.
  expect(dueAt("2026-11-24T00:29")).toBe(false);
  expect(dueAt("2026-11-24T03:45", "UTC")).toBe(true);
  const done = {
    since: at("2026-01-01T00:00"),
    startedAt: at("2026-11-24T22:00"),
    verifiedAt: at("2026-11-24T22:00"),
  };
  for (const time of ["2026-11-24T22:01", "2026-11-24T23:30", "2026-11-25T20:00"])
    expect(isBackupDue(done, at(time), INDIA)).toBe(false);
});

test("a backup that was missed in the night is made when the last one is 26 hours old", () => {
  const verifiedAt = at("2026-11-23T22:00");
  const times = { since: at("2026-01-01T00:00"), startedAt: verifiedAt, verifiedAt };
  expect(isBackupDue(times, new Date(at("2026-11-24T23:59").getTime()), "Europe/Berlin")).toBe(false);
  expect(isBackupDue(times, at("2026-11-25T00:00"), "Pacific/Auckland")).toBe(true);
});

test("a backup that failed is tried again after an hour, and not before", () => {
  const times = {
    since: at("2026-01-01T00:00"),
    startedAt: at("2026-11-24T22:00"),
    verifiedAt: at("2026-11-20T22:00"),
  };
  expect(isBackupDue(times, at("2026-11-24T22:59"), INDIA)).toBe(false);
  expect(isBackupDue(times, at("2026-11-24T23:00"), INDIA)).toBe(true);
});

test("a new shop waits for its first night, and is not overdue before 48 hours", () => {
  const since = at("2026-11-24T10:00");
  const times = { since, startedAt: null, verifiedAt: null };
  expect(isBackupDue(times, at("2026-11-24T10:01"), INDIA)).toBe(false);
  expect(isBackupDue({ ...times, since: at("2026-11-24T22:30") }, at("2026-11-24T22:31"), INDIA)).toBe(false);
  expect(isBackupDue(times, at("2026-11-24T22:00"), INDIA)).toBe(true);
  expect(isBackupOverdue(times, new Date(since.getTime() + 48 * HOUR))).toBe(false);
  expect(isBackupOverdue(times, new Date(since.getTime() + 48 * HOUR + 1))).toBe(true);
  const verifiedAt = at("2026-11-26T09:00");
  expect(isBackupOverdue({ since, verifiedAt }, at("2026-11-28T09:00"))).toBe(false);
  expect(isBackupOverdue({ since, verifiedAt }, at("2026-11-28T09:01"))).toBe(true);
});

test("the times of backups that were written while the clock was wrong do not delay a backup and do not count as one", () => {
  const future = at("2031-01-01T00:00");
  const times = { since: at("2026-01-01T00:00"), startedAt: future, verifiedAt: future };
  expect(isBackupDue(times, at("2026-11-24T22:00"), INDIA)).toBe(true);
  expect(isBackupOverdue(times, at("2026-11-24T22:00"))).toBe(true);
});
