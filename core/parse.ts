import type { z } from "zod";
import { InvalidInputError } from "./errors.ts";

/** Parses a verb's input. @throws InvalidInputError naming each bad field. */
export function parseInput<Schema extends z.ZodType>(schema: Schema, input: unknown): z.output<Schema> {
  const result = schema.safeParse(input);
  if (result.success) return result.data;
  const fields: Record<string, string[]> = {};
  for (const issue of result.error.issues) {
    const field = issue.path.map(String).join(".");
    fields[field] = [...(fields[field] ?? []), issue.message];
  }
  throw new InvalidInputError(fields);
}
