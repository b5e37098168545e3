import { expect, test } from "vitest";
import { z } from "zod";
import { InvalidInputError } from "./errors.ts";
import { INVALID_REQUEST, parseInput } from "./parse.ts";

const schema = z.object({ name: z.string().min(2, "too short"), tags: z.array(z.string()).default([]) });

test("an input that matches the schema is returned with its defaults", () => {
  expect(parseInput(schema, { name: "ab" })).toEqual({ name: "ab", tags: [] });
});

test("an input that does not match is refused with the messages of each invalid field", () => {
  expect(() => parseInput(schema, { name: "a", tags: [1] })).toThrow(InvalidInputError);
  try {
    parseInput(schema, { name: "a" });
  } catch (error) {
    expect(error).toMatchObject({ code: "invalid-input", fields: { name: ["too short"] } });
  }
});

test("a value for which the schema has no message is refused with a sentence, and the others with theirs", () => {
  const ids = z.object({
    id: z.uuid(),
    kind: z.enum(["a", "b"]),
    either: z.union([z.number(), z.boolean()]),
    name: z.string({ error: "Enter a name." }),
  });
  expect(() => parseInput(ids, { id: "none", kind: "c" })).toThrow(
    expect.objectContaining({
      fields: {
        id: [INVALID_REQUEST],
        kind: [INVALID_REQUEST],
        either: [INVALID_REQUEST],
        name: ["Enter a name."],
      },
    }),
  );
});

test("an object whose length cannot be compared, which makes a schema throw, is refused as input", () => {
  const long = z.object({ name: z.string().max(5) });
  const input: unknown = JSON.parse('{ "name": { "length": { "valueOf": 1, "toString": 1 } } }');
  expect(() => long.safeParse(input)).toThrow(TypeError);
  expect(() => parseInput(long, input)).toThrow(InvalidInputError);
});

test.each([
  { name: "a\0b" },
  { name: "ab", tags: ["x", "\0"] },
  "\0",
])("an input with NUL in %j is refused", (input) => {
  expect(() => parseInput(schema, input)).toThrow(InvalidInputError);
});
