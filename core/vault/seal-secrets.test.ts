import { expect, test } from "vitest";
import { makeSessionCode } from "./seal-secrets.ts";

const now = new Date("2026-11-21T00:00:00Z");

test("a session code holds the tool's name, the time and 128 random bits", () => {
  expect(makeSessionCode("ChatGPT Pro", now)).toMatch(/^ChatGPT-Pro-1795219200000-[0-9a-f]{32}$/);
  expect(makeSessionCode("🎬 फ़िल्म Pass", now)).toMatch(/^फ़िल्म-Pass-1795219200000-/);
  expect(makeSessionCode(" * ", now)).toMatch(/^tool-1795219200000-[0-9a-f]{32}$/);
});

test("two session codes made in the same millisecond differ", () => {
  expect(makeSessionCode("Canva", now)).not.toBe(makeSessionCode("Canva", now));
});
