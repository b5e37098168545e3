import type { z } from "zod";
import { InvalidInputError } from "./errors.ts";

/** What somebody sent, of which nothing is known yet. */
export type UntrustedInput = Readonly<Record<string, unknown>>;

/** Parses a verb's input. @throws InvalidInputError naming each bad field */
export function parseInput<Schema extends z.ZodType>(schema: Schema, input: unknown): z.output<Schema> {
  if (containsNul(input)) throw new InvalidInputError({});
  const result = schema.safeParse(input);
  if (result.success) return result.data;
  const fields: Record<string, string[]> = {};
  for (const issue of result.error.issues) {
    const field = issue.path.map(String).join(".");
    fields[field] = [...(fields[field] ?? []), issue.message];
  }
  throw new InvalidInputError(fields);
}

/** Whether a text, or one inside an object or list of any depth, has the character that no Postgres text can hold. */
export function containsNul(value: unknown): boolean {
  const left = [value];
  while (left.length > 0) {
    const next = left.pop();
    if (typeof next === "string" && next.includes("\0")) return true;
    if (typeof next === "object" && next !== null) for (const part of Object.values(next)) left.push(part);
  }
  return false;
}
