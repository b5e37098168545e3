import { expect, test } from "vitest";
import { z } from "zod";
import { InvalidInputError } from "./errors.ts";
import { parseInput } from "./parse.ts";

const schema = z.object({ name: z.string().min(2, "too short"), tags: z.array(z.string()).default([]) });

test("what fits comes back parsed", () => {
  expect(parseInput(schema, { name: "ab" })).toEqual({ name: "ab", tags: [] });
});

test("each bad field is named with its sentence", () => {
  expect(() => parseInput(schema, { name: "a", tags: [1] })).toThrow(InvalidInputError);
  try {
    parseInput(schema, { name: "a" });
  } catch (error) {
    expect(error).toMatchObject({ code: "invalid-input", fields: { name: ["too short"] } });
  }
});

test.each([{ name: "a\0b" }, { name: "ab", tags: ["x", "\0"] }, "\0"])("NUL in %j is refused", (input) => {
  expect(() => parseInput(schema, input)).toThrow(InvalidInputError);
});
