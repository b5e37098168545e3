import type { z } from "zod";
import { MUST_BE_LIST } from "./catalogue-file-schemas.ts";
import type { JsonPath } from "./json-with-lines.ts";

/** A mistake and its path in the file. `text` follows the name of the field. */
export interface FileProblem {
  path: JsonPath;
  text: string;
}

/** A valid entry of a list, with its index in the file. */
export interface ListedEntry<Entry> {
  index: number;
  entry: Entry;
}

/** Of one list. Checking a list takes many times its memory, so a longer one is refused unread. */
const MAX_ENTRIES = 20_000;

/** The fields that name an entry in messages. Access codes and passwords are never among them. */
const LABEL_KEYS: Record<string, readonly string[]> = {
  tools: ["slug", "name"],
  pages: ["page"],
  accessCodes: ["toolSlug", "serverName"],
  credentials: ["service"],
  coupons: ["code"],
};

/** The member of an object; undefined when `value` is not an object or has no such member. */
export function getMember(value: unknown, key: string | number): unknown {
  if (typeof value !== "object" || value === null || !Object.hasOwn(value, key)) return undefined;
  return Reflect.get(value, key);
}

function formatLabel(section: string, entry: unknown): string {
  const parts = (LABEL_KEYS[section] ?? [])
    .map((key) => getMember(entry, key))
    .filter((part) => typeof part === "string");
  // A tool is identified by its slug, or by its name when the slug is missing; an access code by tool and server.
  return (section === "tools" ? parts.slice(0, 1) : parts).join(" / ");
}

function formatPath(path: JsonPath): string {
  return path
    .map((step, depth) => (typeof step === "number" ? `[${step}]` : depth === 0 ? step : `.${step}`))
    .join("");
}

/** `tools[3] "canva": price must be …`; indexes start at 0. */
export function formatProblem(problem: FileProblem, document: Record<string, unknown>): string {
  const [section, index, ...field] = problem.path;
  if (typeof section !== "string" || typeof index !== "number")
    return problem.text.startsWith("unknown key")
      ? problem.text
      : `${formatPath(problem.path)} ${problem.text}`;
  const label = formatLabel(section, getMember(document[section], index));
  const name = label === "" ? `${section}[${index}]` : `${section}[${index}] "${label}"`;
  if (field.length === 0) return `${name}: ${problem.text}`;
  return problem.text.startsWith("unknown key")
    ? `${name}: ${problem.text}`
    : `${name}: ${formatPath(field)} ${problem.text}`;
}

function toProblems(issue: z.core.$ZodIssue, at: JsonPath): FileProblem[] {
  const inner = issue.path.filter((step) => typeof step !== "symbol");
  const path = [...at, ...inner];
  if (issue.code !== "unrecognized_keys") return [{ path, text: issue.message }];
  return issue.keys.map((key) => ({
    path: [...path, key],
    text: inner.length === 0 ? `unknown key "${key}"` : `unknown key "${key}" in ${formatPath(inner)}`,
  }));
}

/** Parses the value at `path`. Returns undefined and adds to `problems` when it is invalid. */
export function readEntry<Schema extends z.ZodType>(
  document: Record<string, unknown>,
  path: JsonPath,
  schema: Schema,
  problems: FileProblem[],
): z.output<Schema> | undefined {
  const result = schema.safeParse(path.reduce<unknown>(getMember, document));
  if (result.success) return result.data;
  for (const issue of result.error.issues)
    for (const problem of toProblems(issue, path)) problems.push(problem);
  return undefined;
}

/** Parses each entry of a list separately, so that all mistakes are found. A missing list is empty. */
export function readList<Schema extends z.ZodType>(
  document: Record<string, unknown>,
  section: string,
  schema: Schema,
  problems: FileProblem[],
): ListedEntry<z.output<Schema>>[] {
  const list = document[section] ?? [];
  if (!Array.isArray(list)) {
    problems.push({ path: [section], text: MUST_BE_LIST });
    return [];
  }
  if (list.length > MAX_ENTRIES) {
    problems.push({ path: [section], text: `has more than ${MAX_ENTRIES} entries` });
    return [];
  }
  const accepted: ListedEntry<z.output<Schema>>[] = [];
  for (const index of list.keys()) {
    const entry = readEntry(document, [section, index], schema, problems);
    if (entry !== undefined) accepted.push({ index, entry });
  }
  return accepted;
}
