import { expect, test } from "vitest";
import { normaliseEmail } from "../typed-text.ts";
import { COMMON_PASSWORDS, findPasswordProblem } from "./password-rules.ts";
import { looksLikeEmail } from "./rules.ts";

const owner = { role: "user", email: "asha.kumar@example.com", shopName: "Asha's Shop" } as const;

test.each([
  "Asha's Shop",
  "ASHASSHOP",
  "ashas-shop",
  "asha.kumar@example.com",
  "Asha.Kumar",
  "ashakumar",
])("the shop's name and the own address are no new password: %s", (password) => {
  expect(findPasswordProblem(password, owner)).toEqual({ code: "guessable-password" });
});

test.each([
  "Asha's Shop 4 tea",
  "******",
  "......",
])("a longer or another password is one: %s", (password) => {
  expect(findPasswordProblem(password, { ...owner, shopName: "…" })).toBeUndefined();
});

test.each([
  ["12345", "user", "weak-password"],
  ["", "user", "weak-password"],
  ["123456", "user", "common-password"],
  ["PassWord1", "user", "common-password"],
  ["wassup", "user", "common-password"],
  ["JaiShreeRam", "user", "common-password"],
  ["q1w2e3r4t5y6", "admin", "common-password"],
  ["aaaaaaaaaaaa", "admin", "common-password"],
  ["............", "admin", "common-password"],
  ["password2026", "admin", "common-password"],
  ["Admin12345678", "admin", "common-password"],
  ["2026-Welcome!", "admin", "common-password"],
  ["p@ssw0rd12345", "admin", "common-password"],
  ["123456789012", "admin", "common-password"],
  ["ashas-shop-2026", "admin", "guessable-password"],
  ["2026 Asha's Shop!", "admin", "guessable-password"],
  ["asha.kumar.99", "admin", "guessable-password"],
  ["ashas-shop-2026", "user", undefined],
  ["ashas-shop-tea-9", "admin", undefined],
  ["k7m2p-x9t4q-2", "admin", undefined],
  ["kettle", "user", undefined],
  ["kettle-on-11", "admin", undefined],
  ["kettle-on-1", "admin", "weak-password"],
  ["x".repeat(128), "user", undefined],
  ["x".repeat(129), "user", "long-password"],
] as const)("a new password '%s' for a %s has the problem %s", (password, role, code) => {
  expect(findPasswordProblem(password, { ...owner, role })?.code).toBe(code);
});

test("the list of common passwords has more than 3,000 entries of at least six characters in lower case", () => {
  expect(COMMON_PASSWORDS.size).toBeGreaterThan(3_000);
  for (const password of COMMON_PASSWORDS) {
    expect(password.length).toBeGreaterThanOrEqual(6);
    expect(password).toBe(password.toLowerCase());
  }
});

test("an email is normalised by trimming and lower-casing it", () => {
  expect(normaliseEmail("  Asha@Example.COM ")).toBe("asha@example.com");
});

test.each([
  ["asha@example.com", true],
  [" asha@mail.example.com ", true],
  ["asha@example", false],
  ["@example.com", false],
  ["asha b@example.com", false],
  ["", false],
])("'%s' looks like an email address: %s", (email, expected) => {
  expect(looksLikeEmail(email)).toBe(expected);
});
