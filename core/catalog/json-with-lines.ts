/**
 * A parser for strict JSON that keeps the position of every value, so that a mistake in a file edited by hand is reported
 * with its line. JSON.parse has no position for some mistakes ("Unexpected end of JSON input") and accepts a repeated key.
 */

const MAX_DEPTH = 32;

const SPACE = /[ \t\r\n]*/y;
const STRING = /"(?:[^"\\\p{Cc}]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/uy;
const SCALAR = /(?:-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null)(?![\w.])/y;

export type JsonPath = ReadonlyArray<string | number>;

export interface JsonWithLines {
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

interface Reader {
  readonly text: string;
  readonly offsets: Map<string, number>;
  /** Where each line ends. */
  readonly lineEnds: readonly number[];
  at: number;
}

function findLineEnds(text: string): number[] {
  const ends: number[] = [];
  for (let i = text.indexOf("\n"); i !== -1; i = text.indexOf("\n", i + 1)) ends.push(i);
  return ends;
}

/** One more than the lines that end before the offset, which are counted by halving: a file may have many mistakes. */
function lineAt({ lineEnds }: Reader, offset: number): number {
  let low = 0;
  let high = lineEnds.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((lineEnds[middle] ?? 0) < offset) low = middle + 1;
    else high = middle;
  }
  return low + 1;
}

function fail(reader: Reader, reason: string, offset = reader.at): never {
  const column = offset - reader.text.lastIndexOf("\n", offset - 1);
  const atEnd = offset >= reader.text.length;
  throw new JsonSyntaxError(
    lineAt(reader, offset),
    offset === 0 ? 1 : column,
    atEnd ? `the file ends here, but ${reason}` : reason,
  );
}

function match(reader: Reader, pattern: RegExp): string | undefined {
  pattern.lastIndex = reader.at;
  const found = pattern.exec(reader.text)?.[0];
  if (found !== undefined) reader.at += found.length;
  return found;
}

function take(reader: Reader, char: string): boolean {
  match(reader, SPACE);
  if (reader.text[reader.at] !== char) return false;
  reader.at += 1;
  match(reader, SPACE);
  return true;
}

function readText(reader: Reader, what: string): string {
  const start = reader.at;
  const token = match(reader, STRING);
  if (token !== undefined) return String(JSON.parse(token));
  const reason =
    reader.text[start] === '"'
      ? 'this text has no closing " on its line, or a character that needs a \\ before it'
      : `${what} in double quotes is expected`;
  return fail(reader, reason, start);
}

function readEntry(reader: Reader, path: JsonPath, seen: Map<string, unknown>): void {
  const start = reader.at;
  const key = readText(reader, "a key");
  if (seen.has(key)) fail(reader, `the key "${key}" is written twice`, start);
  if (!take(reader, ":")) fail(reader, `":" is expected after the key "${key}"`);
  seen.set(key, readValue(reader, [...path, key]));
}

function readMembers(reader: Reader, close: "}" | "]", readOne: (index: number) => void): void {
  if (take(reader, close)) return;
  for (let index = 0; ; index += 1) {
    readOne(index);
    if (take(reader, close)) return;
    const comma = reader.at;
    if (!take(reader, ",")) fail(reader, `"," or "${close}" is expected`);
    if (reader.text[reader.at] === close)
      fail(reader, `the last entry before "${close}" takes no comma`, comma);
  }
}

function readValue(reader: Reader, path: JsonPath): unknown {
  if (path.length > MAX_DEPTH) fail(reader, "brackets are nested too deep");
  reader.offsets.set(JSON.stringify(path), reader.at);
  if (reader.text[reader.at] === '"') return readText(reader, "text");
  if (take(reader, "{")) {
    const members = new Map<string, unknown>();
    readMembers(reader, "}", () => readEntry(reader, path, members));
    return Object.fromEntries(members);
  }
  if (take(reader, "[")) {
    const items: unknown[] = [];
    readMembers(reader, "]", (index) => items.push(readValue(reader, [...path, index])));
    return items;
  }
  const scalar = match(reader, SCALAR);
  return scalar === undefined ? fail(reader, "a value is expected") : JSON.parse(scalar);
}

/** @throws JsonSyntaxError with line and column. A byte order mark at the start is ignored. */
export function readJsonWithLines(text: string): JsonWithLines {
  const source = text.replace(/^\uFEFF/, "");
  const reader: Reader = { text: source, offsets: new Map(), lineEnds: findLineEnds(source), at: 0 };
  match(reader, SPACE);
  const value = readValue(reader, []);
  match(reader, SPACE);
  if (reader.at < reader.text.length) fail(reader, "nothing may follow the closing bracket");

  const lineOf = (path: JsonPath): number => {
    const offset = reader.offsets.get(JSON.stringify(path));
    if (offset !== undefined) return lineAt(reader, offset);
    return path.length === 0 ? 1 : lineOf(path.slice(0, -1));
  };
  return { value, lineOf };
}
