/**
 * Readers for the values of an old shop, where numbers are text and dates have many forms. Each returns null when the value
 * is absent (`isAbsent`) or cannot be read.
 */
import { momentOfWallTime } from "#core/time.ts";
import { cleanText } from "#core/typed-text.ts";

export interface Reading<Value> {
  value: Value;
  /** What was read as what, when the form left room for doubt: '"₹1,499.00" read as 1499'. Absent: nothing to report. */
  repair?: string;
}

export interface Moment extends Reading<Date> {
  /** Only a day was given: `value` is its start in the time zone of the shop. */
  dayOnly: boolean;
}

/** What exporters and scripts write for nothing. */
const NOTHING = new Set(["", "null", "undefined", "NaN", "N/A", "n/a", "-"]);

/** Whether the field is missing, empty, or a word such as "undefined": not filled in, as opposed to unreadable. */
export function isAbsent(value: unknown): boolean {
  if (typeof value === "string") return NOTHING.has(value.trim());
  return value === undefined || value === null || Number.isNaN(value);
}

/** A text as it is stored: without white space around it and invisible characters. */
export function textOf(value: unknown): Reading<string> | null {
  if (isAbsent(value)) return null;
  if (typeof value !== "string") return exactTextOf(value);
  const clean = cleanText(value);
  if (clean === value) return { value };
  const what = value.trim() === clean ? "white space around the text was" : "invisible characters were";
  return { value: clean, repair: `${what} removed` };
}

/** A text with every character that it has, for passwords and codes. The repair does not quote it. */
export function exactTextOf(value: unknown): Reading<string> | null {
  if (typeof value === "string") return value === "" ? null : { value };
  if (typeof value === "boolean" || (typeof value === "number" && Number.isFinite(value)))
    return { value: String(value), repair: `a ${typeof value} became text` };
  if (isDate(value)) return { value: value.toISOString(), repair: "a time became text" };
  return null;
}

const CURRENCY = /^(?:₹|rs\.?|inr|rupees)\s*/i;
/** Commas as in 1,49,900 or 149,900; what follows has no digit: "12 days", "20% off", "1,499/-". */
const NUMBER = /^([-+]?)(\d+|\d{1,3}(?:,\d{2,3})*,\d{3})(\.\d+)?(\D*)$/;
/** "1.5k" and "1 lakh" are other numbers than 1.5 and 1. */
const MULTIPLE = /^\s*(?:k|m|mn|lac|lakhs?|cr|crores?|thousand|hundred|million)\b/i;
const PLAIN_NUMBER = /^-?\d+(?:\.\d+)?$/;

/** A finite number. A text of digits alone is no repair: the old shop wrote many numbers so. */
export function numberOf(value: unknown): Reading<number> | null {
  if (typeof value === "number") return Number.isFinite(value) ? { value } : null;
  if (typeof value !== "string") return null;
  const text = spaced(value);
  if (PLAIN_NUMBER.test(text)) return finite(Number(text));
  const [, sign = "", whole, decimals = "", rest = ""] = NUMBER.exec(text.replace(CURRENCY, "")) ?? [];
  if (whole === undefined || MULTIPLE.test(rest)) return null;
  const reading = finite(Number(`${sign}${whole.replaceAll(",", "")}${decimals}`));
  return reading && { ...reading, repair: readAs(value, String(reading.value)) };
}

const finite = (value: number) => (Number.isFinite(value) ? { value } : null);

/** An amount in rupees, in whole paise; "Free" is 0. A negative amount cannot be read. */
export function rupeesToPaise(value: unknown): Reading<number> | null {
  if (typeof value === "string" && /^free$/i.test(value.trim()))
    return { value: 0, repair: readAs(value, "₹0") };
  const rupees = numberOf(value);
  if (rupees === null || rupees.value < 0) return null;
  const paise = Math.round(rupees.value * 100);
  if (!Number.isSafeInteger(paise)) return null;
  const isExact = Math.abs(rupees.value * 100 - paise) < 1e-6 * Math.max(1, paise);
  if (!isExact) return { value: paise, repair: `${rupees.value} rounded to whole paise` };
  return { ...rupees, value: paise };
}

const DURATION =
  /^(\d+(?:\.\d+)?)\s*-?\s*(hours?|hrs?|h|days?|d|weeks?|wks?|w|months?|mos?|m|years?|yrs?|y)(?![a-z])\D*$/i;
const DAYS_OF_UNIT: Readonly<Record<string, number>> = { h: 1 / 24, d: 1, w: 7, m: 30, y: 365 };

/** A number of whole days, at least 1: 30, "30", "30 Days", "1 month" (30), "1 year" (365), "24 hours". */
export function daysOf(value: unknown): Reading<number> | null {
  const [, count, unit = ""] = typeof value === "string" ? (DURATION.exec(spaced(value)) ?? []) : [];
  const factor = DAYS_OF_UNIT[unit.charAt(0).toLowerCase()];
  const read =
    count === undefined || factor === undefined ? numberOf(value) : { value: Number(count) * factor };
  if (read === null || read.value <= 0) return null;
  const days = Math.max(1, Math.round(read.value));
  if (!Number.isSafeInteger(days)) return null;
  const isPlain = read.value === days && count === undefined && read.repair === undefined;
  return isPlain ? { value: days } : { value: days, repair: readAs(value, `${days} days`) };
}

const TRUE = /^(?:true|1|yes|y|on|active|enabled)$/i;
const FALSE = /^(?:false|0|no|n|off|inactive|disabled)$/i;

export function booleanOf(value: unknown): Reading<boolean> | null {
  if (typeof value === "boolean") return { value };
  if (typeof value !== "string" && typeof value !== "number") return null;
  const text = String(value).trim();
  const read = TRUE.test(text) || (FALSE.test(text) ? false : null);
  if (read === null) return null;
  return text === String(read) ? { value: read } : { value: read, repair: readAs(value, String(read)) };
}

/** 1973, and 5138 or 1973 in the next unit: numbers in between are seconds, milliseconds or microseconds since 1970. */
const FIRST_SECONDS = 1e8;
const FIRST_MILLISECONDS = 1e11;
const FIRST_MICROSECONDS = 1e14;
const END_OF_MICROSECONDS = 1e17;

/**
 * A moment between the years 1971 and 9999: a Date, seconds or milliseconds since 1970 as number or digits, ISO text,
 * dd/mm/yyyy with or without a time (also - . and yy), yyyy/mm/dd, yyyymmdd, and dates with an English month such as
 * "January 5, 2025 at 3:04:05 PM UTC+5:30". A day that the calendar does not have cannot be read.
 *
 * @param timeZone of the shop; a text without a zone has its clocks
 */
export function momentOf(value: unknown, timeZone: string): Moment | null {
  if (isDate(value)) return within({ value, dayOnly: false });
  if (typeof value === "number") return momentOfNumber(value, value, timeZone);
  if (typeof value !== "string") return null;
  const text = spaced(value);
  // How a script prints a timestamp of the old database.
  const [, seconds, nanoseconds] = /^Timestamp\(seconds=(\d+), ?nanoseconds=(\d+)\)$/i.exec(text) ?? [];
  if (seconds !== undefined)
    return within({
      value: new Date(Number(seconds) * 1000 + Math.floor(Number(nanoseconds) / 1e6)),
      dayOnly: false,
    });
  if (/^\d+(?:\.\d+)?$/.test(text)) return momentOfNumber(Number(text), value, timeZone);
  return momentOfText(text, value, timeZone);
}

function momentOfNumber(number: number, value: unknown, timeZone: string): Moment | null {
  if (number < FIRST_SECONDS) {
    const [, year, month, day] = /^(\d{4})(\d{2})(\d{2})$/.exec(String(number)) ?? [];
    return year ? momentOfText(`${year}-${month}-${day}`, value, timeZone) : null;
  }
  if (number < FIRST_MILLISECONDS) return within({ value: new Date(number * 1000), dayOnly: false });
  if (number < FIRST_MICROSECONDS) return within({ value: new Date(number), dayOnly: false });
  if (!(number < END_OF_MICROSECONDS)) return null;
  const date = new Date(number / 1000);
  return within({ value: date, dayOnly: false, repair: readAs(value, date.toISOString()) });
}

type Numbers = [year: number, month: number, day: number];

const MONTHS = "january february march april may june july august september october november december".split(
  " ",
);
const WEEKDAY = /^(?:sun|mon|tue|wed|thu|fri|sat)[a-z]*\.?,? /i;
/** In the order in which they are tried. */
const DATES: readonly { form: RegExp; numbers: (first: string, second: string, third: string) => Numbers }[] =
  [
    {
      form: /^(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})(?!\d)/,
      numbers: (year, month, day) => [Number(year), Number(month), Number(day)],
    },
    {
      form: /^(\d{1,2})[-/.](\d{1,2})[-/.](\d{4}|\d{2})(?!\d)/,
      numbers: (first, second, year) => {
        const [day, month] = [Number(first), Number(second)];
        // Only a month can come second here: "01/25/2025" was written by an American format.
        return month > 12 ? [fullYear(year), day, month] : [fullYear(year), month, day];
      },
    },
    {
      form: /^(\d{1,2})(?:st|nd|rd|th)?[ -]([a-z]{3,9})\.?,?[ -](\d{4}|\d{2})(?!\d)/i,
      numbers: (day, month, year) => [fullYear(year), monthOf(month), Number(day)],
    },
    {
      form: /^([a-z]{3,9})\.? (\d{1,2})(?:st|nd|rd|th)?,? (\d{4})(?!\d)/i,
      numbers: (month, day, year) => [Number(year), monthOf(month), Number(day)],
    },
  ];
/** What may follow a date: a time, and a zone after it. */
const TIME =
  /^(?:,? ?(?:t|at )?|,? )(\d{1,2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,9}))?)? ?([ap])?(?:\.?m\.?)? ?(z|ist|(?:utc|gmt)?(?:[-+]\d{1,2}(?::?\d{2})?)?)(?: \(.*\))?$/i;
const OFFSET = /([-+])(\d{1,2})(?::?(\d{2}))?$/;
/** With a zone, and so without doubt. */
const ISO_WITH_ZONE = /^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)? ?(?:Z|[-+]\d{2}:?\d{2})$/i;

function momentOfText(written: string, value: unknown, timeZone: string): Moment | null {
  const text = written.replace(WEEKDAY, "");
  for (const { form, numbers } of DATES) {
    const match = form.exec(text);
    if (match === null) continue;
    const [year, month, day] = numbers(match[1] ?? "", match[2] ?? "", match[3] ?? "");
    const start = Date.UTC(year, month - 1, day);
    const isDay = new Date(start).getUTCMonth() === month - 1 && new Date(start).getUTCDate() === day;
    if (!isDay || year < 1971) return null;
    const rest = text.slice(match[0].length).trimEnd();
    if (rest === "" || /^,? ?t?00:00(?::00(?:\.0+)?)?$/i.test(rest)) {
      const repair = readAs(value, new Date(start).toISOString().slice(0, 10));
      return within({ value: momentOfWallTime(start, timeZone), dayOnly: true, repair });
    }
    const moment = withTime(start, rest, timeZone);
    if (moment === null) return null;
    const isPlain = ISO_WITH_ZONE.test(written);
    return within({
      value: moment,
      dayOnly: false,
      ...(isPlain ? {} : { repair: readAs(value, moment.toISOString()) }),
    });
  }
  return null;
}

/** @param start of the day, as `Date.UTC` counts it */
function withTime(start: number, text: string, timeZone: string): Date | null {
  const match = TIME.exec(text);
  if (match === null) return null;
  const [hours = 0, minutes = 0, seconds = 0] = match.slice(1, 4).map((part) => Number(part ?? 0));
  const half = match[5]?.toLowerCase();
  if (half !== undefined && (hours < 1 || hours > 12)) return null;
  const hour = half === undefined ? hours : (hours % 12) + (half === "p" ? 12 : 0);
  if (hour > 23 || minutes > 59 || seconds > 59) return null;
  const milliseconds = Math.floor(Number(`0.${match[4] ?? 0}`) * 1000);
  const wallTime = start + ((hour * 60 + minutes) * 60 + seconds) * 1000 + milliseconds;
  const zone = match[6]?.toLowerCase() ?? "";
  if (zone === "") return momentOfWallTime(wallTime, timeZone);
  const [, sign, ofHours = 0, ofMinutes = 0] = OFFSET.exec(zone === "ist" ? "+5:30" : zone) ?? [];
  const offset = (Number(ofHours) * 60 + Number(ofMinutes)) * 60_000;
  return new Date(sign === "-" ? wallTime + offset : wallTime - offset);
}

const fullYear = (year: string) => Number(year) + (year.length === 2 ? 2000 : 0);

/** 1 to 12, or 0 for no month: then the calendar does not have the day. */
const monthOf = (word: string) => MONTHS.findIndex((month) => month.startsWith(word.toLowerCase())) + 1;

const LATEST = Date.UTC(10_000, 0, 1);

function within(moment: Moment): Moment | null {
  const time = moment.value.getTime();
  return time >= Date.UTC(1971, 0, 1) && time < LATEST ? moment : null;
}

const isDate = (value: unknown): value is Date => value instanceof Date && !Number.isNaN(value.getTime());

/** Formats put other spaces than ours between time and AM, and several of them between words. */
const spaced = (text: string) => text.replaceAll(/\s+/gu, " ").trim();

/** Long texts are cut: what was written is shown to find it, not to keep it. */
function readAs(value: unknown, what: string): string {
  const text = String(value);
  return `"${text.length > 60 ? `${text.slice(0, 60)}…` : text}" read as ${what}`;
}
