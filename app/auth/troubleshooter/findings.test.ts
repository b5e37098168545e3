import { expect, test } from "vitest";
import {
  explainCode,
  type Finding,
  type GoogleTestOutcome,
  judgeAddress,
  judgeClock,
  judgeConnection,
  judgeCookies,
  judgeGoogleTest,
  judgeProvider,
  judgeSession,
  judgeWindow,
} from "./findings.ts";

const ORIGIN = "https://shop.example";
const [SECOND, MINUTE] = [1_000, 60_000];

test("each mapped error code has words without jargon and an action, and none repeats another", () => {
  const explained = (
    ["auth/unauthorized-domain", "auth/popup-closed-by-user", "auth/network-request-failed"] as const
  ).map((code) => explainCode(code, ORIGIN));
  for (const { code, text, action } of explained) {
    expect(`${text} ${action}`).not.toMatch(/auth\/|domain|request|popup|null/);
    expect(action.length, code).toBeGreaterThan(20);
  }
  expect(new Set(explained.map(({ text }) => text)).size).toBe(3);
  expect(explainCode("auth/unauthorized-domain", ORIGIN).action).toContain(ORIGIN);
});

test.each<[string, Finding, Finding["status"], Partial<Finding>]>([
  ["a quick answer", judgeConnection(120, ORIGIN), "success", {}],
  ["a slow answer", judgeConnection(4 * SECOND, ORIGIN), "warning", {}],
  ["no answer", judgeConnection(null, ORIGIN), "error", { code: "auth/network-request-failed" }],
  [
    "the shop's own address",
    judgeAddress({ actual: ORIGIN, expected: ORIGIN, accepted: true }),
    "success",
    {},
  ],
  [
    "another address that the shop accepts",
    judgeAddress({ actual: "http://127.0.0.1:3000", expected: "http://localhost:3000", accepted: true }),
    "warning",
    { code: "auth/unauthorized-domain" },
  ],
  [
    "another address",
    judgeAddress({ actual: "https://old.example", expected: ORIGIN, accepted: false }),
    "error",
    { code: "auth/unauthorized-domain", action: `Open the shop at ${ORIGIN} and sign in there.` },
  ],
  ["cookies that work", judgeCookies({ stored: true, sent: true }), "success", {}],
  ["blocked cookies", judgeCookies({ stored: false, sent: false }), "error", {}],
  ["cookies that are not sent", judgeCookies({ stored: true, sent: false }), "error", {}],
  [
    "a session cookie that comes back",
    judgeSession({ returned: true, signedIn: true, needsHttps: false }),
    "success",
    { text: "You’re signed in." },
  ],
  [
    "a lost session cookie",
    judgeSession({ returned: false, signedIn: false, needsHttps: false }),
    "error",
    { action: expect.stringContaining("private browsing") },
  ],
  [
    "a session cookie that needs https",
    judgeSession({ returned: false, signedIn: false, needsHttps: true }),
    "error",
    { action: expect.stringContaining("https://") },
  ],
  ["a clock that is two minutes fast", judgeClock(2 * MINUTE), "success", {}],
  [
    "a clock that is three minutes slow",
    judgeClock(-3 * MINUTE),
    "warning",
    { text: "This device’s clock is 3 minutes slow." },
  ],
  ["a clock that is five minutes fast", judgeClock(5 * MINUTE), "warning", {}],
  [
    "a clock that is four hours fast",
    judgeClock(240 * MINUTE),
    "error",
    { text: "This device’s clock is 4 hours fast." },
  ],
  [
    "a clock that is a week slow",
    judgeClock(-7 * 24 * 60 * MINUTE),
    "error",
    { text: "This device’s clock is 7 days slow." },
  ],
  ["a window that opens", judgeWindow(true), "success", {}],
  ["a blocked window", judgeWindow(false), "warning", {}],
  ["a shop without Google", judgeProvider({ state: "not-configured" }, ORIGIN), "warning", {}],
  ["a shop that cannot reach Google", judgeProvider({ state: "unreachable" }, ORIGIN), "error", {}],
  ["a browser that reaches Google", judgeProvider({ state: "known", reached: true }, ORIGIN), "success", {}],
  [
    "a browser that cannot reach Google",
    judgeProvider({ state: "known", reached: false }, ORIGIN),
    "error",
    { code: "auth/network-request-failed" },
  ],
])("%s is judged, and everything but a success says what to do", (_fact, finding, status, expected) => {
  expect(finding).toMatchObject({ status, ...expected });
  expect(finding.action === undefined).toBe(status === "success");
});

const page = { reachable: true, actual: ORIGIN, expected: ORIGIN };

test.each<[GoogleTestOutcome, Partial<typeof page>, Partial<Finding>]>([
  [{ kind: "signed-in" }, {}, { status: "success" }],
  [{ kind: "closed" }, {}, { status: "warning", code: "auth/popup-closed-by-user" }],
  [
    { kind: "refused", message: "Sign-in cancelled. Please try again." },
    {},
    { status: "warning", code: "auth/popup-closed-by-user" },
  ],
  [{ kind: "closed" }, { reachable: false }, { status: "error", code: "auth/network-request-failed" }],
  [
    { kind: "closed" },
    { actual: "https://old.example" },
    { status: "error", code: "auth/unauthorized-domain" },
  ],
  [{ kind: "offline" }, {}, { status: "error", code: "auth/network-request-failed" }],
  [{ kind: "blocked" }, {}, { status: "error", text: "This browser blocked the Google window." }],
  [{ kind: "timed-out" }, {}, { status: "error" }],
  [
    { kind: "refused", message: "This account has been disabled. Please contact support." },
    {},
    { status: "error", text: "This account has been disabled. Please contact support." },
  ],
  [{ kind: "refused", message: "" }, {}, { status: "error", text: "Failed to sign in with Google" }],
])("the test of Google that ended with %o on %o is explained", (outcome, facts, expected) => {
  expect(judgeGoogleTest(outcome, { ...page, ...facts })).toMatchObject(expected);
});
