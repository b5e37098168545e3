import { describe, expect, test } from "vitest";
import { dayOf } from "./rules.ts";

const day = (now: string, timeZone = "Asia/Kolkata") => {
  const { startsAt, endsAt } = dayOf(new Date(now), timeZone);
  return [startsAt.toISOString(), endsAt.toISOString()];
};

describe("the day of a giveaway", () => {
  test.each([
    ["2026-11-21T06:30:00.000Z"],
    // 00:00 belongs to the day that begins, and the last millisecond to the day that ends.
    ["2026-11-20T18:30:00.000Z"],
    ["2026-11-21T18:29:59.999Z"],
  ])("runs from 00:00 to 24:00 in the time zone of the store, at %s", (now) => {
    expect(day(now)).toEqual(["2026-11-20T18:30:00.000Z", "2026-11-21T18:30:00.000Z"]);
  });

  test("the next day begins when a day ends", () => {
    expect(day("2026-11-21T18:30:00.000Z")).toEqual(["2026-11-21T18:30:00.000Z", "2026-11-22T18:30:00.000Z"]);
  });

  test("has 23 or 25 hours where the clocks change", () => {
    expect(day("2026-03-29T10:00:00Z", "Europe/Berlin")).toEqual([
      "2026-03-28T23:00:00.000Z",
      "2026-03-29T22:00:00.000Z",
    ]);
    expect(day("2026-10-25T10:00:00Z", "Europe/Berlin")).toEqual([
      "2026-10-24T22:00:00.000Z",
      "2026-10-25T23:00:00.000Z",
    ]);
  });

  test.each([
    "Africa/Cairo",
    "Asia/Beirut",
    "America/Sao_Paulo",
    "Pacific/Apia",
  ])("every moment of a year is in one day, also where the clocks skip 00:00: %s", (timeZone) => {
    let [moment, days] = [new Date("2018-01-01T12:00:00Z"), 0];
    while (moment < new Date("2019-01-01T12:00:00Z")) {
      const { startsAt, endsAt } = dayOf(moment, timeZone);
      expect(startsAt <= moment && moment < endsAt).toBe(true);
      expect(dayOf(new Date(endsAt.getTime() - 1), timeZone)).toEqual({ startsAt, endsAt });
      expect(dayOf(endsAt, timeZone).startsAt).toEqual(endsAt);
      moment = endsAt;
      days++;
    }
    expect(days).toBeGreaterThanOrEqual(365);
    expect(days).toBeLessThanOrEqual(366);
  });
});
