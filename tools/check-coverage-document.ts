/**
 * `node tools/check-coverage-document.ts` prints every file and every test title that docs/coverage.md names and that does
 * not exist, as `docs/coverage.md:line message`. Exits with 1 when there is one.
 */
import { existsSync, readFileSync, statSync } from "node:fs";
import { join, posix } from "node:path";
import { type ParseResult, parseSync, Visitor } from "oxc-parser";
import { ROOT } from "./run-command.ts";

const DOCUMENT = "docs/coverage.md";
const TEST_FILE = /\.(?:test|spec)\.tsx?$/;
const FILE_NAME = /\.(?:tsx?|mjs|json|css|md)$/;

/** A name in the document that leads nowhere. `line` counts from 1. */
export interface MissingName {
  line: number;
  message: string;
}

/**
 * Finds the names in a Markdown text that do not exist below `root`. Texts in backticks with a slash or a file's ending
 * are paths from the root; one without a slash lies beside the file (or in the folder) named before it in the same cell.
 * Texts in double quotes are whole titles, as written in the source, of tests or groups of tests in the test file named
 * before them in the same cell. The first column of a table is not read: it says what is asked.
 */
export function findMissingNames(markdown: string, root: string): MissingName[] {
  const titlesOf = new Map<string, readonly string[]>();
  const hasTitle = (path: string, title: string) => {
    const titles = titlesOf.get(path) ?? readTitles(join(root, path));
    titlesOf.set(path, titles);
    return titles.includes(title);
  };
  return markdown.split("\n").flatMap((text, at) => {
    const cells = text.startsWith("|") ? text.split("|").slice(2) : [text];
    const messages = cells.flatMap((cell) => checkCell(cell, root, hasTitle));
    return messages.map((message) => ({ line: at + 1, message }));
  });
}

function checkCell(cell: string, root: string, hasTitle: (path: string, title: string) => boolean): string[] {
  const messages: string[] = [];
  let current: string | undefined;
  for (const [, code, title] of cell.matchAll(/`([^`]+)`|"([^"]+)"/g)) {
    if (code !== undefined && isPath(code)) {
      const path = resolvePath(code, current, root);
      if (path === undefined) messages.push(`${code} follows no path in its cell; write its whole path`);
      else if (!existsSync(join(root, path))) messages.push(`${path} does not exist`);
      current = path;
    } else if (title !== undefined) {
      if (current === undefined || !TEST_FILE.test(current))
        messages.push(`"${title}" follows no test file in its cell`);
      else if (existsSync(join(root, current)) && !hasTitle(current, title))
        messages.push(`${current} has no test "${title}"`);
    }
  }
  return messages;
}

/** Addresses of the shop ("/admin") and names of settings are in backticks too. */
function isPath(code: string): boolean {
  return !code.startsWith("/") && (code.includes("/") || FILE_NAME.test(code));
}

function resolvePath(code: string, before: string | undefined, root: string): string | undefined {
  if (code.includes("/")) return code.replace(/\/$/, "");
  if (before === undefined) return undefined;
  const absolute = join(root, before);
  const isFolder = existsSync(absolute) && statSync(absolute).isDirectory();
  return posix.join(isFolder ? before : posix.dirname(before), code);
}

/** The titles of all calls of `test` and `describe` and their variants, such as `test.each(table)(title, …)`. */
function readTitles(file: string): string[] {
  const text = readFileSync(file, "utf8");
  const { program } = parseSync(file, text);
  const titles: string[] = [];
  new Visitor({
    CallExpression({ callee, arguments: [first] }) {
      if (!isTestFunction(callee) || !first) return;
      if (first.type === "Literal" && typeof first.value === "string") titles.push(first.value);
      // With its placeholders as written: `${who} who leaves`.
      if (first.type === "TemplateLiteral") titles.push(text.slice(first.start + 1, first.end - 1));
    },
  }).visit(program);
  return titles;
}

type Expression = Extract<
  ParseResult["program"]["body"][number],
  { type: "ExpressionStatement" }
>["expression"];

function isTestFunction(callee: Expression): boolean {
  if (callee.type === "Identifier") return /^(?:test|it|describe)$/.test(callee.name);
  if (callee.type === "MemberExpression") return isTestFunction(callee.object);
  if (callee.type === "TaggedTemplateExpression") return isTestFunction(callee.tag);
  return callee.type === "CallExpression" && isTestFunction(callee.callee);
}

if (process.argv[1] === new URL(import.meta.url).pathname) {
  const missing = findMissingNames(readFileSync(join(ROOT, DOCUMENT), "utf8"), ROOT);
  for (const { line, message } of missing) console.log(`${DOCUMENT}:${line} ${message}`);
  console.log(`${DOCUMENT}: ${missing.length === 0 ? "every name exists" : `${missing.length} missing`}`);
  process.exitCode = missing.length > 0 ? 1 : 0;
}
