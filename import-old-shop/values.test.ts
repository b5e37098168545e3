import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  booleanOf,
  daysOf,
  exactTextOf,
  isAbsent,
  momentOf,
  numberOf,
  rupeesToPaise,
  textOf,
} from "./values.ts";

const IST = "Asia/Kolkata";
const NOTHING = [undefined, null, "", "  ", "null", "undefined", "NaN", Number.NaN, "N/A"];

test.each(NOTHING)("the value %j is absent, and no reader finds a value in it", (value) => {
  expect(isAbsent(value)).toBe(true);
  const readers = [textOf, numberOf, rupeesToPaise, daysOf, booleanOf, (one: unknown) => momentOf(one, IST)];
  for (const read of readers) expect(read(value)).toBeNull();
});

test.each([0, false, "0", [], {}])("the value %j is not absent", (value) => {
  expect(isAbsent(value)).toBe(false);
});

test.each([
  ["Asha", { value: "Asha" }],
  [" Asha\n", { value: "Asha", repair: "white space around the text was removed" }],
  [5, { value: "5", repair: "a number became text" }],
  [true, { value: "true", repair: "a boolean became text" }],
  [new Date(0), { value: "1970-01-01T00:00:00.000Z", repair: "a time became text" }],
  [{ a: 1 }, null],
  [["a"], null],
])("a text is read from %j", (value, reading) => {
  expect(textOf(value)).toEqual(reading);
});

test("a password keeps its white space, and its repair does not quote it", () => {
  expect(exactTextOf(" p4ss ")).toEqual({ value: " p4ss " });
  expect(exactTextOf("null")).toEqual({ value: "null" });
  expect(exactTextOf(12345678)).toEqual({ value: "12345678", repair: "a number became text" });
  expect(exactTextOf("")).toBeNull();
});

test.each([
  [5, 5, false],
  ["5", 5, false],
  [" -2.50 ", -2.5, false],
  ["12 days", 12, true],
  ["₹1,499.00", 1499, true],
  ["Rs. 1,49,900/-", 149_900, true],
  ["INR 499", 499, true],
  ["20% off", 20, true],
  ["1,000,000", 1_000_000, true],
])("a number is read from %j", (value, number, isRepaired) => {
  const reading = numberOf(value);
  expect(reading?.value).toBe(number);
  expect(reading?.repair !== undefined).toBe(isRepaired);
});

test.each([
  "abc",
  "1.499,00",
  "1,5",
  "5 of 10",
  Number.POSITIVE_INFINITY,
  "9".repeat(400),
  [5],
  {},
  true,
])("no number is read from %j", (value) => {
  expect(numberOf(value)).toBeNull();
});

test("the repair of a number says what was read as what, and cuts a long text", () => {
  expect(numberOf("₹1,499.00")?.repair).toBe('"₹1,499.00" read as 1499');
  expect(numberOf(`5 ${"x".repeat(100)}`)?.repair).toBe(`"5 ${"x".repeat(58)}…" read as 5`);
});

test.each([
  [149, { value: 14_900 }],
  ["49.5", { value: 4950 }],
  [19.99, { value: 1999 }],
  ["Free", { value: 0, repair: '"Free" read as ₹0' }],
  ["₹149", { value: 14_900, repair: '"₹149" read as 149' }],
  [1.006, { value: 101, repair: "1.006 rounded to whole paise" }],
  [-5, null],
  [1e20, null],
])("an amount of %j rupees is read", (value, reading) => {
  expect(rupeesToPaise(value)).toEqual(reading);
});

test("every amount of whole paise is read exactly and needs no repair", () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 10_000_000_00 }), (paise) => {
      expect(rupeesToPaise(paise / 100)).toEqual({ value: paise });
      expect(rupeesToPaise((paise / 100).toFixed(2))).toEqual({ value: paise });
    }),
  );
});

test.each([
  [30, 30, false],
  ["30", 30, false],
  ["30 Days", 30, true],
  ["7-day access", 7, true],
  ["1 month", 30, true],
  ["1 year", 365, true],
  ["2 weeks", 14, true],
  ["24 hours", 1, true],
  ["1 hour", 1, true],
  [29.6, 30, true],
])("a number of days is read from %j", (value, days, isRepaired) => {
  const reading = daysOf(value);
  expect(reading?.value).toBe(days);
  expect(reading?.repair !== undefined).toBe(isRepaired);
});

test.each([0, -1, "0 days", "lifetime", "soon", {}])("no number of days is read from %j", (value) => {
  expect(daysOf(value)).toBeNull();
});

test.each([
  [true, true, false],
  ["true", true, false],
  ["false", false, false],
  [1, true, true],
  ["0", false, true],
  ["Yes", true, true],
  ["active", true, true],
  ["Disabled", false, true],
])("a boolean is read from %j", (value, read, isRepaired) => {
  const reading = booleanOf(value);
  expect(reading?.value).toBe(read);
  expect(reading?.repair !== undefined).toBe(isRepaired);
});

test.each(["maybe", 2, {}, []])("no boolean is read from %j", (value) => {
  expect(booleanOf(value)).toBeNull();
});

describe("moments", () => {
  const exact = "2025-01-05T09:34:05.000Z";

  test.each([
    new Date(exact),
    1_736_069_645,
    1_736_069_645_000,
    "1736069645000",
    "1736069645",
    exact,
  ])("a moment is read from %j without a repair", (value) => {
    expect(momentOf(value, IST)).toEqual({ value: new Date(exact), dayOnly: false });
  });

  test.each([
    "2025-01-05T15:04:05+05:30",
    "2025-01-05T15:04:05",
    "2025-01-05 15:04:05",
    "January 5, 2025 at 3:04:05 PM UTC+5:30",
    "January 5, 2025 at 3:04:05\u202fPM UTC+5:30",
    "Sun Jan 05 2025 15:04:05 GMT+0530 (India Standard Time)",
    "Sun, 05 Jan 2025 09:34:05 GMT",
    "05/01/2025, 3:04:05 pm",
    "5/1/2025 15:04:05",
    "05-01-25 15:04:05",
    "5 January 2025, 3:04:05 p.m. IST",
    "2025/01/05 09:34:05Z",
    1_736_069_645_000_000,
  ])("a time is read from %j", (value) => {
    expect(momentOf(value, IST)).toMatchObject({ value: new Date(exact), dayOnly: false });
  });

  test.each([
    "05/01/2025",
    "5/1/2025",
    "05-01-2025",
    "05.01.2025",
    "05/01/25",
    "2025-01-05",
    "2025/1/5",
    "20250105",
    20250105,
    "5th January 2025",
    "05-Jan-2025",
    "Jan 5, 2025",
    "Sunday, January 5, 2025",
    "2025-01-05T00:00:00",
  ])("a day is read from %j as its start in the time zone of the shop", (value) => {
    const repair = `"${value}" read as 2025-01-05`;
    expect(momentOf(value, IST)).toEqual({ value: new Date("2025-01-04T18:30:00Z"), dayOnly: true, repair });
  });

  test("a date whose second number can only be a day was written month first", () => {
    expect(momentOf("01/25/2025", "UTC")).toMatchObject({
      value: new Date("2025-01-25T00:00:00Z"),
      repair: '"01/25/2025" read as 2025-01-25',
    });
  });

  test("midday and midnight of a moment have the hours 12 PM and 12 AM", () => {
    expect(momentOf("05/01/2025 12:30 AM", "UTC")?.value).toEqual(new Date("2025-01-05T00:30:00Z"));
    expect(momentOf("05/01/2025 12:30 PM", "UTC")?.value).toEqual(new Date("2025-01-05T12:30:00Z"));
  });

  test.each([
    "31/02/2025",
    "2025-13-01",
    "2025-02-30T10:00:00Z",
    "05/01/2025 25:00",
    "05/01/2025 13:00 PM",
    "5 Janvier 2025",
    "tomorrow",
    "05/01/2025 to 05/02/2025",
    new Date(Number.NaN),
    0,
    5,
    -1,
    1e18,
    "0001-01-01",
    Number.POSITIVE_INFINITY,
    { _seconds: "x" },
    [],
    true,
  ])("no moment is read from %j", (value) => {
    expect(momentOf(value, IST)).toBeNull();
  });

  test("every moment is read from its ISO text, milliseconds and the words of a database's console", () => {
    const moments = fc.date({
      min: new Date("1975-01-01"),
      max: new Date("2100-01-01"),
      noInvalidDate: true,
    });
    fc.assert(
      fc.property(moments, (moment) => {
        expect(momentOf(moment.toISOString(), IST)?.value).toEqual(moment);
        expect(momentOf(moment.getTime(), IST)?.value).toEqual(moment);
        const second = new Date(Math.floor(moment.getTime() / 1000) * 1000);
        expect(momentOf(second.toUTCString(), IST)?.value).toEqual(second);
        const shown = second.toLocaleString("en-IN", { timeZone: IST });
        expect(momentOf(shown, IST)?.value, shown).toEqual(second);
      }),
    );
  });

  test("no value makes a reader throw", () => {
    fc.assert(
      fc.property(fc.anything(), (value) => {
        for (const read of [textOf, exactTextOf, numberOf, rupeesToPaise, daysOf, booleanOf, isAbsent])
          read(value);
        momentOf(value, IST);
      }),
    );
  });
});
