import { findNodeAtLocation, type Node, parseTree, printParseErrorCode, visit } from "jsonc-parser";

/*
 * Strict JSON with the line of every value, so that a mistake in a file edited by hand is reported with its line.
 * JSON.parse has no position for some mistakes ("Unexpected end of JSON input") and accepts a repeated key.
 */

const MAX_DEPTH = 32;

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
