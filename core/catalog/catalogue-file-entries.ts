import type { z } from "zod";
import type { JsonPath } from "./json-with-lines.ts";

/** A mistake and the place in the file it is about. `text` follows the field's name. */
export interface FoundProblem {
  path: JsonPath;
  text: string;
}

/** An entry that its own schema accepts, with its place in the file's list. */
export interface Placed<Entry> {
  index: number;
  entry: Entry;
}

/** What an entry is called in messages. Never a code or a password of the vault. */
const LABEL_KEYS: Record<string, readonly string[]> = {
  tools: ["slug", "name"],
  pages: ["page"],
  accessCodes: ["toolSlug", "serverName"],
  credentials: ["service"],
  coupons: ["code"],
};

/** The member of an object from the file, undefined when it is no object or has no such member. */
export function memberOf(value: unknown, key: string | number): unknown {
  if (typeof value !== "object" || value === null) return undefined;
  return new Map<string, unknown>(Object.entries(value)).get(String(key));
}

function labelOf(section: string, entry: unknown): string {
  const words = (LABEL_KEYS[section] ?? [])
    .map((key) => memberOf(entry, key))
    .filter((word) => typeof word === "string");
  // Names of tools are unique, so a tool needs its slug alone; an access code needs tool and server.
  return (section === "tools" ? words.slice(0, 1) : words).join(" / ");
}

function fieldName(path: JsonPath): string {
  return path
    .map((step, depth) => (typeof step === "number" ? `[${step}]` : depth === 0 ? step : `.${step}`))
    .join("");
}

/** `tools[3] "canva": price must be …`; list positions count from 0, as in the file's brackets. */
export function problemSentence(problem: FoundProblem, document: Record<string, unknown>): string {
  const [section, index, ...field] = problem.path;
  if (typeof section !== "string" || typeof index !== "number")
    return problem.text.startsWith("unknown key")
      ? problem.text
      : `${fieldName(problem.path)} ${problem.text}`;
  const label = labelOf(section, memberOf(document[section], index));
  const name = label === "" ? `${section}[${index}]` : `${section}[${index}] "${label}"`;
  if (field.length === 0) return `${name}: ${problem.text}`;
  return problem.text.startsWith("unknown key")
    ? `${name}: ${problem.text}`
    : `${name}: ${fieldName(field)} ${problem.text}`;
}

function toProblems(issue: z.core.$ZodIssue, at: JsonPath): FoundProblem[] {
  const inner = issue.path.filter((step) => typeof step !== "symbol");
  const path = [...at, ...inner];
  if (issue.code !== "unrecognized_keys") return [{ path, text: issue.message }];
  return issue.keys.map((key) => ({
    path: [...path, key],
    text: inner.length === 0 ? `unknown key "${key}"` : `unknown key "${key}" in ${fieldName(inner)}`,
  }));
}

/** Parses the value at `path`; its mistakes are added to `problems` and the answer is then undefined. */
export function readEntry<Schema extends z.ZodType>(
  document: Record<string, unknown>,
  path: JsonPath,
  schema: Schema,
  problems: FoundProblem[],
): z.output<Schema> | undefined {
  const result = schema.safeParse(path.reduce<unknown>(memberOf, document));
  if (result.success) return result.data;
  problems.push(...result.error.issues.flatMap((issue) => toProblems(issue, path)));
  return undefined;
}

/** Parses each entry of a list by itself, so that one mistake does not hide the next. A missing list is empty. */
export function readList<Schema extends z.ZodType>(
  document: Record<string, unknown>,
  section: string,
  schema: Schema,
  problems: FoundProblem[],
): Placed<z.output<Schema>>[] {
  const list = document[section] ?? [];
  if (!Array.isArray(list)) {
    problems.push({ path: [section], text: "must be a list in [ ]" });
    return [];
  }
  const accepted: Placed<z.output<Schema>>[] = [];
  for (const index of list.keys()) {
    const entry = readEntry(document, [section, index], schema, problems);
    if (entry !== undefined) accepted.push({ index, entry });
  }
  return accepted;
}
