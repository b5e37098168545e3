import { findNodeAtLocation, type Node, parseTree, printParseErrorCode, visit } from "jsonc-parser";
import type { z } from "zod";
import { MUST_BE_LIST } from "./file-fields.ts";

/*
 * Strict JSON with the line of every value, so that a mistake in a file edited by hand is reported with its line.
 * JSON.parse has no position for some mistakes ("Unexpected end of JSON input") and accepts a repeated key.
 */

const MAX_DEPTH = 32;

export type JsonPath = ReadonlyArray<string | number>;

interface JsonWithLines {
  readonly value: unknown;
  /** 1-based line of the value at this path, or of its nearest parent that the file has. */
  readonly lineOf: (path: JsonPath) => number;
}

/** The text is not JSON. `line` and `column` are 1-based. `reason` never quotes a value, which may be secret. */
export class JsonSyntaxError extends Error {
  readonly line: number;
  readonly column: number;
  readonly reason: string;

  constructor(line: number, column: number, reason: string) {
    super(`line ${line}, column ${column}: ${reason}`);
    this.name = "JsonSyntaxError";
    this.line = line;
    this.column = column;
    this.reason = reason;
  }
}

const COMMENT = "a comment is not allowed";
const CHARACTER = "this text has a character that needs a \\ before it";
const OTHERWISE = "text in double quotes, a number, true, false or null is expected";

/** By the names that `printParseErrorCode` gives. */
const REASONS: Readonly<Record<string, string>> = {
  PropertyNameExpected: "a key in double quotes is expected, and no comma after the last entry",
  ValueExpected: "a value is expected, and no comma after the last entry",
  ColonExpected: '":" is expected after the key',
  CommaExpected: '"," is expected between two entries',
  CloseBraceExpected: '"," or "}" is expected',
  CloseBracketExpected: '"," or "]" is expected',
  EndOfFileExpected: "nothing may follow the closing bracket",
  InvalidCommentToken: COMMENT,
  UnexpectedEndOfComment: COMMENT,
  UnexpectedEndOfString: 'this text has no closing " on its line',
  InvalidUnicode: CHARACTER,
  InvalidEscapeCharacter: CHARACTER,
  InvalidCharacter: CHARACTER,
};

/** @throws JsonSyntaxError with line and column of the first mistake. A byte order mark at the start is ignored. */
export function readJsonWithLines(text: string): JsonWithLines {
  const source = text.replace(/^\uFEFF/, "");
  checkSyntax(source);
  const value: unknown = JSON.parse(source);
  // Only a file with mistakes needs positions.
  let root: Node | undefined;
  let lineEnds: number[] | undefined;
  const lineOf = (path: JsonPath): number => {
    root ??= parseTree(source);
    lineEnds ??= Array.from(source.matchAll(/\n/g), ({ index }) => index);
    const node = root && findNodeAtLocation(root, [...path]);
    if (node) return lineAt(lineEnds, node.offset);
    return path.length === 0 ? 1 : lineOf(path.slice(0, -1));
  };
  return { value, lineOf };
}

/** One more than the lines that end before the offset, which are counted by halving: a file may have many mistakes. */
function lineAt(lineEnds: readonly number[], offset: number): number {
  let low = 0;
  let high = lineEnds.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((lineEnds[middle] ?? 0) < offset) low = middle + 1;
    else high = middle;
  }
  return low + 1;
}

function checkSyntax(source: string): void {
  /** The keys of each object and array around the current place. */
  const keys: Set<string>[] = [];
  const fail = (reason: string, offset: number, line: number, character: number): never => {
    const atEnd = offset >= source.trimEnd().length;
    throw new JsonSyntaxError(line + 1, character + 1, atEnd ? `the file ends here, but ${reason}` : reason);
  };
  const open = (offset: number, _length: number, line: number, character: number) => {
    keys.push(new Set());
    if (keys.length > MAX_DEPTH) fail("brackets are nested too deep", offset, line, character);
  };
  const close = () => {
    keys.pop();
  };
  visit(
    source,
    {
      onObjectBegin: open,
      onObjectEnd: close,
      onArrayBegin: open,
      onArrayEnd: close,
      onObjectProperty(key, offset, _length, line, character) {
        if (keys.at(-1)?.has(key)) fail(`the key "${key}" is written twice`, offset, line, character);
        keys.at(-1)?.add(key);
      },
      onError(code, offset, _length, line, character) {
        fail(REASONS[printParseErrorCode(code)] ?? OTHERWISE, offset, line, character);
      },
    },
    { disallowComments: true },
  );
}

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

/** The entries of one list. Checking a list takes many times its memory, so a longer one is refused unread. */
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
