/**
 * `npm run check`: format, lint and rules, the types, and the tests that a change is most likely to break, within about a minute.
 * A change is what differs from the merge base with `main`, committed or not. `npm test` is the complete check.
 */
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { listSources, readImports, targetOf } from "./check-rules.ts";
import { isMain, packageCommand, ROOT, runNode } from "./run-command.ts";

const SOURCE = /\.(?:tsx?|mjs)$/;
const TEST = /\.test\.tsx?$/;
const MAX_TEST_FILES = 30;
const LIMIT = { limitSeconds: 600 };

/**
 * The tests of changed files, most likely to fail first: the changed ones and those beside a changed file, then those that import
 * a changed file or are beside one that does.
 *
 * @param imports the files that each file imports; all paths start at the root
 */
export function testsOf(
  changed: readonly string[],
  imports: ReadonlyMap<string, readonly string[]>,
): string[] {
  const tests = [...imports.keys()].filter((path) => TEST.test(path));
  const importers = [...imports].flatMap(([path, targets]) =>
    targets.some((target) => changed.includes(target)) ? [path] : [],
  );
  const areOf = (files: readonly string[]) => {
    const beginnings = files.map((path) => `${path.replace(SOURCE, "")}.`);
    return tests.filter((test) => files.includes(test) || beginnings.some((one) => test.startsWith(one)));
  };
  return [...new Set([...areOf(changed), ...areOf(importers)])];
}

function git(...args: string[]): string[] {
  return execFileSync("git", args, { cwd: ROOT, encoding: "utf8" }).split("\n").filter(Boolean);
}

function changedFiles(): string[] {
  // The remote branch comes first: the local branch may have what is not pushed.
  const branches = ["refs/remotes/origin/main", "refs/heads/main"];
  const [upstream = "HEAD"] = git("for-each-ref", "--sort=-refname", "--format=%(refname)", ...branches);
  const [base = "HEAD"] = git("merge-base", "HEAD", upstream);
  return [
    ...git("diff", "--name-only", "--diff-filter=d", base),
    ...git("ls-files", "--others", "--exclude-standard"),
  ];
}

function readAllImports(): Map<string, string[]> {
  return new Map(
    listSources(ROOT).flatMap((path) => {
      if (!SOURCE.test(path)) return [];
      const found = readImports(path, readFileSync(join(ROOT, path), "utf8"));
      return [[path, found.flatMap(({ specifier }) => targetOf(path, specifier) ?? [])]];
    }),
  );
}

async function check(): Promise<boolean> {
  const changed = changedFiles();
  if (changed.length === 0) {
    console.log("Nothing differs from main.");
    return true;
  }
  const biome = ["ci", "--colors=off", "--error-on-warnings", "--no-errors-on-unmatched", ...changed];
  // Two processors: the types take as long as the other two.
  const codes = await Promise.all([
    runNode("bin/typecheck.ts", [], LIMIT),
    runNode(packageCommand("@biomejs/biome", "biome"), biome, LIMIT).then(async (code) =>
      Math.max(code, await runNode("bin/check-rules.ts", [], LIMIT)),
    ),
  ]);
  const tests = testsOf(changed, readAllImports());
  const chosen = tests.slice(0, MAX_TEST_FILES);
  if (tests.length > chosen.length)
    console.log(
      `${tests.length} test files are near the changes; the first ${chosen.length} run. npm test runs all.`,
    );
  if (chosen.length > 0)
    codes.push(await runNode(packageCommand("vitest", "vitest"), ["run", ...chosen], LIMIT));
  return codes.every((code) => code === 0);
}

if (isMain(import.meta.url)) {
  const startedAt = performance.now();
  const isPassed = await check();
  console.log(
    `\n${isPassed ? "passed" : "FAILED"} in ${Math.round((performance.now() - startedAt) / 1000)} s`,
  );
  process.exitCode = isPassed ? 0 : 1;
}
