import fc from "fast-check";
import { expect, test } from "vitest";
import { cleanCameFrom } from "./came-from.ts";

test.each([
  ["whatsapp", "whatsapp"],
  ["  Diwali\n\toffer\u00a0 2026 ", "Diwali offer 2026"],
  ["दिवाली", "दिवाली"],
  ["🎉 party", "🎉 party"],
  ["t.co\u202e\u200f\u200b\u2066\ufeff", "t.co"],
  ["a\0b\u0007c\u009f", "abc"],
  ["e\u200d\u0301", "é"],
  ["\ud83d", null],
  ["\u200b\u200d\u3164\u00ad", null],
  ["", null],
  [" ", null],
  ["asha@example.com", null],
  ["asha＠example.com", null],
  ["asha%40example.com", null],
  [`${"x".repeat(100)}@example.com`, null],
  ["x".repeat(200), "x".repeat(64)],
  ["🎉".repeat(200), "🎉".repeat(64)],
  [`${"x".repeat(63)} y`, "x".repeat(63)],
])("where a buyer came from is stored of %j as %j", (text, expected) => {
  expect(cleanCameFrom(text)).toBe(expected);
});

test("what is stored of any text is printable, has at most 64 characters and no @, and stays the same", () => {
  const text = fc.oneof(fc.string({ unit: "binary", maxLength: 200 }), fc.string({ maxLength: 200 }));
  fc.assert(
    fc.property(text, (typed) => {
      const clean = cleanCameFrom(typed);
      if (clean === null) return;
      expect(clean).toMatch(/^[^@\p{C}\p{Zl}\p{Zp}]+$/u);
      expect([...clean].length).toBeLessThanOrEqual(64);
      expect(cleanCameFrom(clean)).toBe(clean);
    }),
  );
});
