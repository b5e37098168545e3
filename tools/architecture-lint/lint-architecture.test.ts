import { spawnSync } from "node:child_process";
import { rmSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, onTestFinished, test } from "vitest";
import { CLEAN, type Tree, VIOLATIONS, writeTree } from "./fixtures.ts";
import { lintArchitecture } from "./lint-architecture.ts";

function build(tree: Tree): string {
  const root = writeTree(tree);
  onTestFinished(() => rmSync(root, { recursive: true }));
  return root;
}

function reportsOn(tree: Tree): string[] {
  return lintArchitecture(build(tree)).violations.map(
    ({ file, line, message }) => `${file}:${line} ${message}`,
  );
}

describe("the architecture lint", () => {
  test("accepts a clean tree and does not read what git ignores", () => {
    expect(reportsOn(CLEAN)).toEqual([]);
  });

  test("accepts an empty tree", () => {
    expect(lintArchitecture(build({}))).toMatchObject({ files: 0, violations: [] });
  });

  test.each(VIOLATIONS)("$rule", ({ tree, reports }) => {
    const found = reportsOn({ ...CLEAN, ...tree });
    expect(found).toEqual(reports.map((report) => expect.stringContaining(report)));
  });

  test("leaves generated files out of the percentiles", () => {
    expect(
      reportsOn({
        "db/migrations/snapshot.ts": "let a;\n".repeat(500),
        "db/seed/demo.data.ts": "a;\n".repeat(500),
      }),
    ).toEqual([]);
  });

  test("leaves functions in tests out of the percentiles", () => {
    expect(reportsOn({ "core/a.test.ts": `function long() {\n${"call();\n".repeat(250)}}\n` })).toEqual([]);
  });
});

describe("the lint command", () => {
  const check = (tree: Tree) =>
    spawnSync(process.execPath, [fileURLToPath(new URL("./check.ts", import.meta.url)), build(tree)], {
      encoding: "utf8",
    });

  test("prints the sizes and exits with 0 on a clean tree", () => {
    const { status, stdout } = check({
      "core/a.ts": "export const a = () => 1;\n\n\n",
      "core/b.ts": "export {};\n",
    });
    expect(stdout.trimEnd().split("\n")).toEqual([
      "files: 2, lines median 1, 95th percentile 3, longest 3 (core/a.ts)",
      "functions in core: 1, lines median 1, 95th percentile 1, longest 1 (a in core/a.ts)",
      "functions in app: none",
      "functions anywhere: 1, lines median 1, 95th percentile 1, longest 1 (a in core/a.ts)",
      "2 source files checked, 0 violations",
    ]);
    expect(status).toBe(0);
  });

  test("prints the violation and exits with 1", () => {
    const { status, stdout } = check({ "core/utils.ts": "export const a = 1;\n" });
    expect(stdout).toMatch(/^core\/utils\.ts:1 'utils' does not say what is inside/);
    expect(stdout.trimEnd()).toMatch(/1 source files checked, 1 violation$/);
    expect(status).toBe(1);
  });
});
