import { CODES_AT_ONCE, SIMPLE_CODE_LENGTH } from "./schemas.ts";

/** What is wrong with a pasted line. `line` is counted from 1. The message does not quote the code. */
export interface LineProblem {
  line: number;
  message: string;
}

interface CodeLine {
  line: number;
  code: string;
}

/** Splits a pasted text into codes, one per line. Empty lines are skipped; outer spaces are removed. */
export function readCodeLines(text: string): { codes: CodeLine[]; problems: LineProblem[] } {
  const codes = text
    .split(/\r\n|\r|\n/)
    .map((line, at) => ({ line: at + 1, code: line.trim() }))
    .filter(({ code }) => code !== "");
  const firstLines = new Map<string, number>();
  const problems = codes.flatMap(({ line, code }, at) => {
    const first = firstLines.get(code);
    if (first === undefined) firstLines.set(code, line);
    if (code.length > SIMPLE_CODE_LENGTH)
      return [{ line, message: `This code is longer than ${SIMPLE_CODE_LENGTH} characters.` }];
    if (first !== undefined) return [{ line, message: `This code is already on line ${first}.` }];
    return at === CODES_AT_ONCE
      ? [{ line, message: `At most ${CODES_AT_ONCE} codes can be added at once.` }]
      : [];
  });
  return { codes, problems };
}
