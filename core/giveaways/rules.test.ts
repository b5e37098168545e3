import fc from "fast-check";
import { expect, test } from "vitest";
import { dayOf, maskWinner } from "./rules.ts";

const day = (now: string, timeZone = "Asia/Kolkata") => {
  const { startsAt, endsAt } = dayOf(new Date(now), timeZone);
  return [startsAt.toISOString(), endsAt.toISOString()];
};

test.each([
  ["2026-11-21T06:30:00.000Z"],
  // 00:00 belongs to the day that begins, and the last millisecond to the day that ends.
  ["2026-11-20T18:30:00.000Z"],
  ["2026-11-21T18:29:59.999Z"],
])("the day of a giveaway runs from 00:00 to 24:00 in the time zone of the store, at %s", (now) => {
  expect(day(now)).toEqual(["2026-11-20T18:30:00.000Z", "2026-11-21T18:30:00.000Z"]);
});

test("the next day of a giveaway begins when a day ends", () => {
  expect(day("2026-11-21T18:30:00.000Z")).toEqual(["2026-11-21T18:30:00.000Z", "2026-11-22T18:30:00.000Z"]);
});

test("the day of a giveaway has 23 or 25 hours where the clocks change", () => {
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
])("every moment of a year is in one day of a giveaway, also where the clocks skip 00:00: %s", (timeZone) => {
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

const mask = (name: string, email = "asha.kumar@gmail.com", deletedAt: Date | null = null) =>
  maskWinner({ name, email, deletedAt });

test.each([
  ["Asha Kumar", "As••• K."],
  ["  Asha   Devi Kumar ", "As••• K."],
  ["Asha", "As•••"],
  ["Al Ng", "A••• N."],
  ["आशा कुमार", "आ••• कु."],
  ["👩‍👩‍👧 Family", "••• F."],
  ["A", "•••"],
  ["Asha K", "As•••"],
])("the name %j of a winner is shown by its beginning and the initial of the last name only", (name, shown) => {
  expect(mask(name)).toBe(shown);
});

test.each([
  ["asha.kumar@gmail.com", "a•••@g•••.com"],
  ["a@x.co.in", "a•••@x•••.in"],
  ["a@localhost", "a•••@l•••"],
  ['"a@b"@x.org', '"•••@x•••.org'],
])("the address %s of a winner without a name is shown in part", (email, shown) => {
  expect(mask("", email)).toBe(shown);
});

test("a name that is an e-mail address is not shown", () => {
  expect(mask("asha.kumar@gmail.com")).toBe("a•••@g•••.com");
});

test("a deleted account shows neither name nor address", () => {
  expect(mask("Asha Kumar", "asha@gmail.com", new Date())).toBe("A former customer");
});

test("no whole address and no whole name of three characters or more is ever shown", () => {
  fc.assert(
    fc.property(fc.emailAddress(), fc.string({ minLength: 3 }), (email, name) => {
      const shown = mask(name, email);
      expect(shown).not.toContain(email);
      if (name.trim().length > 2) expect(shown).not.toContain(name.trim());
    }),
  );
});
