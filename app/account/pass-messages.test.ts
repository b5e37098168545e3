import { expect, test } from "vitest";
import {
  badgeMessage,
  endsSoonMessage,
  refundedAmountSuffix,
  refundStatusMessage,
} from "./purchase-words.ts";

const refund = { status: "processed", amountPaise: 11_900, at: new Date(0), why: null } as const;

test.each([
  ["requested", "Refund started", "being refunded"],
  ["processing", "Refund started", "being refunded"],
  ["failed", "Refund started", "being refunded"],
  ["processed", "Refunded", "refunded"],
] as const)("a refund that is %s is shown as '%s', and its amount as '%s'", (status, message, suffix) => {
  expect(refundStatusMessage(status)).toBe(message);
  expect(refundedAmountSuffix(status)).toBe(suffix);
  expect(badgeMessage({ badge: "Refunded", refunds: [{ ...refund, status }] })).toBe(message);
});

test("a pass that was used keeps its badge when a second payment for it is refunded", () => {
  expect(badgeMessage({ badge: "Expired", refunds: [refund] })).toBe("Expired");
  expect(badgeMessage({ badge: "Active", refunds: [refund] })).toBe("Active");
});

test("a pass that ended as refunded has the badge Refunded even without a refund of the shop", () => {
  expect(badgeMessage({ badge: "Refunded", refunds: [] })).toBe("Refunded");
});

test("the badge is Refunded only when every one of several refunds is processed", () => {
  const refunds = [refund, { ...refund, status: "processing" as const }];
  expect(badgeMessage({ badge: "Refunded", refunds })).toBe("Refund started");
  expect(badgeMessage({ badge: "Refunded", refunds: [refund, refund] })).toBe("Refunded");
});

test.each([
  ["2026-11-21T06:22:00Z", "2026-11-21T01:00:00Z", "Asia/Kolkata", "Ends today 11:52"],
  ["2026-11-22T04:00:00Z", "2026-11-21T06:00:00Z", "Asia/Kolkata", "Ends tomorrow 09:30"],
  ["2026-11-21T18:30:00Z", "2026-11-21T18:29:00Z", "Asia/Kolkata", "Ends tomorrow 00:00"],
  ["2026-11-21T18:30:00Z", "2026-11-21T18:29:00Z", "UTC", "Ends today 18:30"],
  ["2026-11-22T06:00:00Z", "2026-11-21T06:00:00Z", "UTC", null],
  ["2026-11-21T06:00:00Z", "2026-11-21T06:00:00Z", "UTC", null],
])("a pass until %s says at %s in %s: %s", (expiresAt, now, timeZone, message) => {
  expect(endsSoonMessage(new Date(expiresAt), new Date(now), timeZone)).toBe(message);
});
