import type { z } from "zod";
import { InvalidInputError } from "./errors.ts";

/** Input of a request that is not validated yet. */
export type UntrustedInput = Readonly<Record<string, unknown>>;

/**
 * For a field whose schema has no message of its own. No form lets a person enter such a value, so the request is forged
 * or comes from an old page.
 */
export const INVALID_REQUEST = "Something is missing or isn’t valid. Please reload the page and try again.";

/** Parses the input of an operation. @throws InvalidInputError with each invalid field */
export function parseInput<Schema extends z.ZodType>(schema: Schema, input: unknown): z.output<Schema> {
  if (containsNul(input)) throw new InvalidInputError({});
  const result = tryToParse(schema, input);
  if (result === null) throw new InvalidInputError({});
  if (result.success) return result.data;
  const fields: Record<string, string[]> = {};
  for (const issue of result.error.issues) {
    const field = issue.path.map(String).join(".");
    fields[field] = [...(fields[field] ?? []), issue.message];
  }
  throw new InvalidInputError(fields);
}

/**
 * null when the schema throws: it does so when it measures an object from a client whose length cannot be compared, such
 * as `{ length: { valueOf: 1, toString: 1 } }`. Every other error is a fault of the schema.
 */
function tryToParse<Schema extends z.ZodType>(schema: Schema, input: unknown) {
  try {
    // The message of the schema, if it has one, comes first.
    return schema.safeParse(input, { error: () => INVALID_REQUEST });
  } catch (error) {
    if (error instanceof TypeError) return null;
    throw error;
  }
}

/** Whether a text, at any depth of the value, contains NUL, which Postgres cannot store. */
export function containsNul(value: unknown): boolean {
  const pending = [value];
  while (pending.length > 0) {
    const next = pending.pop();
    if (typeof next === "string" && next.includes("\0")) return true;
    if (typeof next === "object" && next !== null) for (const part of Object.values(next)) pending.push(part);
  }
  return false;
}
