import { DAY, formatLocalDateTime, HOUR, momentOfWallTime } from "../time.ts";

/** After this time without a verified backup the owner is told. */
export const OVERDUE_HOURS = 48;
/** A backup that was missed in the night is made as soon as the last one is this old. */
const MISSED_MS = 26 * HOUR;
/** A backup that failed is tried again after this time. */
const RETRY_MS = HOUR;
/** The nightly backup begins at 03:30 in the store's time zone, or within the hours after that. */
const NIGHT_BEGINS_MS = 3.5 * HOUR;
const NIGHT_MS = 2.5 * HOUR;
const KEPT_DAYS = 7;
const KEPT_WEEKS = 4;

/** The ending of a backup whose check failed. Such a backup does not count. */
export const UNVERIFIED = ".unverified";

const NAME = /^daypass-(\d{4}-\d{2}-\d{2})T(\d{2})-(\d{2})-(\d{2})Z\.zip(?:\.age)?(?:\.unverified)?$/;

/** When a backup was made, by the name that npm run backup gives; null: it is another name. */
export function backupTimeOf(name: string): Date | null {
  const [, day, hour, minute, second] = NAME.exec(name) ?? [];
  if (day === undefined) return null;
  const time = new Date(`${day}T${hour}:${minute}:${second}Z`);
  return Number.isNaN(time.getTime()) ? null : time;
}

/**
 * The backups of a folder that may be deleted. Kept are the newest of each of the last 7 days and of each of the last 4 weeks
 * that have one, in the store's time zone; weeks begin on Monday. Only the newest unverified backup is kept, until a backup comes
 * after it.
 *
 * @param names of all files; names of other files are not returned
 * @param options.verified the name of the last verified backup, which is never deleted
 */
export function findOldBackups(
  names: readonly string[],
  { timeZone, verified }: { timeZone: string; verified: string | null },
): string[] {
  const backups = names
    .flatMap((name) => {
      const time = backupTimeOf(name);
      return time === null ? [] : [{ name, time }];
    })
    .toSorted((one, other) => other.time.getTime() - one.time.getTime() || (one.name < other.name ? 1 : -1));
  const kept = new Set(verified === null ? [] : [verified]);
  const [newest] = backups;
  if (newest !== undefined) kept.add(newest.name);
  const days = new Set<number>();
  const weeks = new Set<number>();
  for (const { name, time } of backups.filter((backup) => !backup.name.endsWith(UNVERIFIED))) {
    const day = dayNumber(time, timeZone);
    // Day 0 was a Thursday.
    const week = Math.floor((day + 3) / 7);
    if (addWithin(days, day, KEPT_DAYS)) kept.add(name);
    if (addWithin(weeks, week, KEPT_WEEKS)) kept.add(name);
  }
  return backups.map(({ name }) => name).filter((name) => !kept.has(name));
}

/** @returns whether the value is new and the set had room for it */
function addWithin(found: Set<number>, value: number, limit: number): boolean {
  if (found.has(value) || found.size >= limit) return false;
  found.add(value);
  return true;
}

/** Days of the calendar since 1970 in a time zone. */
const dayNumber = (time: Date, timeZone: string) =>
  Date.parse(formatLocalDateTime(time, timeZone).slice(0, 10)) / DAY;

export interface BackupTimes {
  /** When the shop first recorded something about its backups. */
  since: Date;
  /** The start of the last attempt; null: there was none. */
  startedAt: Date | null;
  /** When the last backup was verified; null: none was. */
  verifiedAt: Date | null;
}

/** Whether the nightly backup has to run now: once a night, and when the last one is older than 26 hours. */
export function isBackupDue(times: BackupTimes, now: Date, timeZone: string): boolean {
  const { startedAt } = times;
  if (startedAt !== null && Math.abs(now.getTime() - startedAt.getTime()) < RETRY_MS) return false;
  const last = lastGood(times, now);
  if (now.getTime() - last >= MISSED_MS) return true;
  const night = beginOfNight(now, timeZone);
  return now.getTime() - night < NIGHT_MS && last < night;
}

/** Whether there was no verified backup for 48 hours. */
export function isBackupOverdue(times: Omit<BackupTimes, "startedAt">, now: Date): boolean {
  return now.getTime() - lastGood(times, now) > OVERDUE_HOURS * HOUR;
}

/** Leaves out times in the future: they were written while the clock of the machine was wrong. */
function lastGood({ since, verifiedAt }: Omit<BackupTimes, "startedAt">, now: Date): number {
  const past = [since, verifiedAt].flatMap((time) => (time !== null && time <= now ? [time.getTime()] : []));
  return Math.max(0, ...past);
}

/** The latest 03:30 in a time zone that has passed. */
function beginOfNight(now: Date, timeZone: string): number {
  const today = dayNumber(now, timeZone) * DAY + NIGHT_BEGINS_MS;
  const begin = momentOfWallTime(today, timeZone);
  return (begin <= now ? begin : momentOfWallTime(today - DAY, timeZone)).getTime();
}
