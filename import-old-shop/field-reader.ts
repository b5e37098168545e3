import { DAY, SECOND } from "#core/time.ts";
import type { OldDocument } from "./source.ts";
import {
  booleanOf,
  daysOf,
  exactTextOf,
  isAbsent,
  type Moment,
  momentOf,
  numberOf,
  type Reading,
  rupeesToPaise,
  textOf,
} from "./values.ts";

/** What became of a document: a row, with what had to be repaired, or the reason why there is none. */
export type Conversion<Row> = { row: Row; repairs: string[] } | { refused: string };

/** How a repair begins that the owner has to look at. */
export const CHECK = "check: ";

const lettersOf = (name: string) => name.toLowerCase().replace(/[^a-z]/g, "");

/**
 * Reads the fields of a document of the old shop. A field is found under the first of its names that has a value; only the
 * letters of a name count, in any case. What had to be repaired, or could not be read, is collected for the report.
 */
export class FieldReader {
  readonly repairs: string[];
  /** Fields that have a value which cannot be read. */
  readonly unreadable = new Set<string>();
  readonly #fields = new Map<string, { name: string; value: unknown }>();
  readonly #timeZone: string;

  constructor(document: Pick<OldDocument, "fields" | "repairs">, timeZone: string) {
    this.repairs = [...(document.repairs ?? [])];
    this.#timeZone = timeZone;
    for (const [name, value] of Object.entries(document.fields)) {
      const letters = lettersOf(name);
      const known = this.#fields.get(letters);
      if (known === undefined || isAbsent(known.value)) this.#fields.set(letters, { name, value });
    }
  }

  /** Adds a line that the owner has to look at. */
  check(text: string): void {
    this.repairs.push(CHECK + text);
  }

  /** The value of the first name that has any. */
  raw(...names: string[]): { name: string; value: unknown } | null {
    for (const name of names) {
      const found = this.#fields.get(lettersOf(name));
      if (found !== undefined && !isAbsent(found.value)) return found;
    }
    return null;
  }

  text(...names: string[]): string | null {
    return this.#read(names, textOf);
  }

  /** With outer spaces, for passwords and codes. No repair quotes it. */
  exactText(...names: string[]): string | null {
    return this.#read(names, exactTextOf, { isSecret: true });
  }

  number(...names: string[]): number | null {
    return this.#read(names, numberOf);
  }

  /** Rupees, in paise. */
  paise(...names: string[]): number | null {
    return this.#read(names, rupeesToPaise);
  }

  days(...names: string[]): number | null {
    return this.#read(names, daysOf);
  }

  boolean(...names: string[]): boolean | null {
    return this.#read(names, booleanOf);
  }

  /** A day without a time is its beginning. */
  moment(...names: string[]): Moment | null {
    const found = this.raw(...names);
    if (found === null) return null;
    const moment = momentOf(found.value, this.#timeZone);
    if (moment === null) {
      this.unreadable.add(found.name);
      this.repairs.push(`${found.name} is no date and was left out`);
    } else if (moment.repair !== undefined) this.repairs.push(`${found.name}: ${moment.repair}`);
    return moment;
  }

  #read<Value>(
    names: readonly string[],
    read: (value: unknown) => Reading<Value> | null,
    { isSecret = false } = {},
  ): Value | null {
    const found = this.raw(...names);
    if (found === null) return null;
    const reading = read(found.value);
    if (reading === null) {
      this.unreadable.add(found.name);
      this.repairs.push(`${found.name} cannot be read and was left out`);
      return null;
    }
    if (reading.repair !== undefined)
      this.repairs.push(`${found.name}: ${isSecret ? "stored as text" : reading.repair}`);
    return reading.value;
  }
}

/** A text of at most `length` characters; a longer one is cut, and the report says so. */
export function fitText(reader: FieldReader, name: string, text: string, length: number): string {
  if (text.length <= length) return text;
  reader.repairs.push(`${name} is longer than ${length} characters and was cut`);
  // Not in the middle of a character.
  const whole = text.slice(0, length - 1).replace(/[\ud800-\udbff]$/, "");
  return `${whole}…`;
}

/** A later year has five digits, which Postgres does not read. */
const LATEST_END = Date.UTC(9999, 11, 31);

/** Something that ends on a day lasts until the end of it. */
export function endOf({ value, dayOnly }: Pick<Moment, "value" | "dayOnly">): Date {
  return dayOnly ? new Date(Math.min(value.getTime() + DAY - SECOND, LATEST_END)) : value;
}
