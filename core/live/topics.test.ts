import { expect, test } from "vitest";
import { isTopic, TOPICS, topicsFor, topicsOfTables } from "./topics.ts";

const person = { userId: "u", email: "u@example.com", sessionId: "s" };

test("an admin may hear every topic", () => {
  expect(topicsFor({ kind: "admin", ...person })).toEqual(TOPICS);
});

test.each([
  { kind: "visitor" } as const,
  { kind: "system" } as const,
])("$kind may hear of the stock and the giveaway only", (actor) => {
  expect(topicsFor(actor)).toEqual(["stock", "giveaway"]);
});

test("a user may hear of the stock, of the giveaway, of codes and of the own session", () => {
  expect(topicsFor({ kind: "user", ...person })).toEqual(["stock", "giveaway", "codes", "sessions"]);
});

test("a changed access code or credential concerns the admin's lists, open tool pages and which tools are on sale", () => {
  expect(topicsOfTables(["accessCodes"])).toEqual(["access-codes", "codes", "tools", "stock"]);
  expect(topicsOfTables(["credentials"])).toEqual(["credentials", "codes", "tools", "stock"]);
});

test("a report of an access code concerns the admin's list and the open tool pages of other buyers", () => {
  expect(topicsOfTables(["accessCodeReports"])).toEqual(["access-codes", "codes"]);
});

test("a sale concerns purchases, coupons, the stock and the audit log, each once", () => {
  const tables = ["userPurchases", "paymentAttempts", "couponRedemptions", "tools", "auditEvents"] as const;
  expect(topicsOfTables(tables)).toEqual(["purchases", "coupons", "tools", "stock", "audit"]);
});

test("rate limits, mail and the sandbox's tables are about nothing", () => {
  expect(topicsOfTables(["rateLimits", "mailMessages", "sandboxOrders"])).toEqual([]);
});

test("only the names of topics are topics", () => {
  expect(TOPICS.every(isTopic)).toBe(true);
  expect(["", "user", "toString", null, 1].some(isTopic)).toBe(false);
});
