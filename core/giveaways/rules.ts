import { addDays, formatLocalDateTime, parseLocalDateTime } from "../time.ts";

/** How long the pass of a giveaway lasts unless the owner sets another validity. */
export const DEFAULT_VALIDITY_DAYS = 1;

/** How many of the past winners the shop lists. */
export const WINNERS_LISTED = 30;

/** The day of the store that contains `now`, from 00:00 to 24:00. The next one begins when it ends. */
export function dayOf(now: Date, timeZone: string): { startsAt: Date; endsAt: Date } {
  const day = toUtcDay(now, timeZone);
  const starts = [-1, 0, 1, 2].map((days) => startOfDay(addDays(day, days), timeZone));
  const at = starts.findLastIndex((start) => start <= now);
  const [startsAt, endsAt] = [starts[at], starts[at + 1]];
  if (startsAt === undefined || endsAt === undefined) throw new Error(`no day contains ${now.toISOString()}`);
  return { startsAt, endsAt };
}

/** Whole days in UTC, for counting calendar days. */
const toUtcDay = (date: Date, timeZone: string) =>
  new Date(`${formatLocalDateTime(date, timeZone).slice(0, 10)}T00:00:00Z`);

/** 00:00 of a calendar day in the time zone; right before or after it on a day whose clocks skip 00:00. */
function startOfDay(utcDay: Date, timeZone: string): Date {
  const midnight = parseLocalDateTime(`${utcDay.toISOString().slice(0, 10)}T00:00`, timeZone);
  if (midnight === null) throw new Error(`${utcDay.toISOString()} is no day of the calendar`);
  return midnight;
}

const HIDDEN = "•••";
const DELETED = "A former customer";

/**
 * What everybody may see of a winner: "As••• K." of a name, "a•••@g•••.com" of an email address. A deleted account has neither.
 * The name is used when there is one.
 */
export function maskWinner(account: { name: string; email: string; deletedAt: Date | null }): string {
  if (account.deletedAt !== null) return DELETED;
  const name = account.name.trim();
  // Some services use the address as the name.
  return name === "" || name.includes("@") ? maskEmail(account.email) : maskName(name);
}

function maskName(name: string): string {
  const words = name.split(/\s+/);
  const [first = ""] = words;
  // At least one character stays hidden.
  const shown = characters(first).length > 2 ? characters(first).slice(0, 2).join("") : firstOf(first);
  const surname = words.length > 1 ? (words.at(-1) ?? "") : "";
  const last = isLong(surname) ? ` ${firstOf(surname)}.` : "";
  return `${isLong(first) ? shown : ""}${HIDDEN}${last}`;
}

function maskEmail(email: string): string {
  const at = email.lastIndexOf("@");
  const [local, host] = [email.slice(0, at), email.slice(at + 1)];
  const dot = host.lastIndexOf(".");
  return `${firstOf(local)}${HIDDEN}@${firstOf(host)}${HIDDEN}${dot > 0 ? host.slice(dot) : ""}`;
}

/** Characters as people count them: an accent or a part of an emoji is never cut off. */
const characters = (text: string) =>
  [...new Intl.Segmenter("en", { granularity: "grapheme" }).segment(text)].map(({ segment }) => segment);

const isLong = (word: string) => characters(word).length > 1;
const firstOf = (text: string) => characters(text)[0] ?? "";
