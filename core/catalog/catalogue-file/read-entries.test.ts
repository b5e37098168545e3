import { expect, test } from "vitest";
import { JsonSyntaxError, readJsonWithLines } from "./read-entries.ts";

function syntaxErrorOf(text: string): JsonSyntaxError {
  try {
    readJsonWithLines(text);
  } catch (error) {
    if (error instanceof JsonSyntaxError) return error;
    throw error;
  }
  throw new Error("the text was accepted");
}

test.each([
  "{}",
  "[]",
  ' [ 1 , -2.50 , 3e2, 0, true , false, null, "" ] ',
  '{"a":{"b":[{"c":"d"}]},"e":[]}',
  String.raw`{"quotes":"\"\\\/","escapes":"\b\f\n\r\t\u20b9","plain":"₹ é 漢"}`,
  '{\r\n  "windows": "lines"\r\n}\r\n',
])("the JSON reader returns the same value as JSON.parse for %s", (text) => {
  expect(readJsonWithLines(text).value).toEqual(JSON.parse(text));
});

test("the JSON reader ignores a byte order mark", () => {
  expect(readJsonWithLines('\uFEFF{"a":1}').value).toEqual({ a: 1 });
});

test("the JSON reader treats __proto__ as an ordinary key", () => {
  expect(Object.keys(Object(readJsonWithLines('{"__proto__":{"a":1}}').value))).toEqual(["__proto__"]);
});

test.each([
  ["", 1, 1, "the file ends here, but a value is expected"],
  ['{"a": 1', 1, 8, 'the file ends here, but "," or "}" is expected'],
  ['{\n  "a": }', 2, 8, "a value is expected"],
  ['{\n  "a": 1\n  "b": 2\n}', 3, 3, '"," is expected between two entries'],
  ["[1, 2,\n]", 2, 1, "a value is expected, and no comma after the last entry"],
  ['{"a" 1}', 1, 6, '":" is expected after the key'],
  ["{a: 1}", 1, 2, "text in double quotes, a number"],
  ["{'a': 1}", 1, 2, "text in double quotes, a number"],
  ["{1: 1}", 1, 2, "a key in double quotes is expected"],
  ['{"a": 1,\n "a": 2}', 2, 2, 'the key "a" is written twice'],
  ['["open\n"]', 1, 2, 'this text has no closing " on its line'],
  ["[01]", 1, 3, '"," is expected between two entries'],
  ["[1.]", 1, 2, "a number, true, false"],
  ["[nullx]", 1, 2, "a number, true, false"],
  ["{} // done", 1, 4, "a comment is not allowed"],
  ["{} {}", 1, 4, "nothing may follow the closing bracket"],
  ['["\\x"]', 1, 2, "a character that needs a \\ before it"],
  ["[".repeat(100), 1, 33, "brackets are nested too deep"],
])("the JSON reader refuses a syntax error in %j with line and column", (text, line, column, reason) => {
  const error = syntaxErrorOf(text);
  expect({ line: error.line, column: error.column }).toEqual({ line, column });
  expect(error.reason).toContain(reason);
});

test("the JSON reader knows the line of every value, and for a missing value the line of its nearest parent", () => {
  const { lineOf } = readJsonWithLines(
    '{\n  "tools": [\n    {},\n    {\n      "slug": "canva"\n    }\n  ]\n}',
  );
  expect(lineOf([])).toBe(1);
  expect(lineOf(["tools", 1])).toBe(4);
  expect(lineOf(["tools", 1, "slug"])).toBe(5);
  expect(lineOf(["tools", 1, "price"])).toBe(4);
  expect(lineOf(["coupons"])).toBe(1);
});
