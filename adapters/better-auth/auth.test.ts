import { expect, test } from "vitest";
import { hasSessionCookie, prolongedEnd, sessionEnd } from "./auth.ts";

const DAY = 86_400_000;
const day = (days: number) => new Date(Date.UTC(2026, 0, 1) + days * DAY);

test.each([
  ["ends when it expires", 30, 30],
  ["ends 90 days after the sign-in although its row has a later end", 119, 90],
])("a session %s", (_what, expires, end) => {
  expect(sessionEnd({ createdAt: day(0), expiresAt: day(expires) })).toEqual(day(end));
});

test.each([
  ["not within a day after it was prolonged", 30, 0.9, null],
  ["to 30 days from now, once a day", 30, 1, 31],
  ["to 30 days from now until day 60", 60, 60, 90],
  ["to the absolute end after day 60", 85, 80, 90],
  ["no further once it has its absolute end", 90, 89, null],
  ["no further when its row has a later end", 119, 89, null],
])("a session in use is prolonged %s", (_what, expires, now, end) => {
  const prolonged = prolongedEnd({ createdAt: day(0), expiresAt: day(expires) }, day(now));
  expect(prolonged).toEqual(end === null ? null : day(end));
});

test.each([
  [null, false],
  ["theme=dark; daypass.session_token=a.b", true],
  ["__Host-daypass.session_token=a.b; theme=dark", true],
  ["__Secure-daypass.session_token=a.b", false],
  ["other=daypass.session_token=a; xdaypass.session_token=b", false],
])("whether %j has a session cookie: %s", (cookies, hasOne) => {
  expect(hasSessionCookie(cookies)).toBe(hasOne);
});
