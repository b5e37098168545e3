import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, onTestFinished, test } from "vitest";
import { BREACHES, CLEAN, type Tree } from "./fixtures.ts";
import { lintArchitecture } from "./lint-architecture.ts";

function build(tree: Tree): string {
  const root = mkdtempSync(join(tmpdir(), "house-"));
  onTestFinished(() => rmSync(root, { recursive: true }));
  for (const [path, text] of Object.entries(tree)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  return root;
}

function reportsOn(tree: Tree): string[] {
  return lintArchitecture(build(tree)).breaches.map(
    ({ file, line, message }) => `${file}:${line} ${message}`,
  );
}

describe("the rules of the house", () => {
  test("a clean tree passes, and what git ignores is not looked at", () => {
    expect(reportsOn(CLEAN)).toEqual([]);
  });

  test("an empty tree passes", () => {
    expect(lintArchitecture(build({}))).toMatchObject({ files: 0, breaches: [] });
  });

  test.each(BREACHES)("$rule", ({ tree, reports }) => {
    const found = reportsOn({ ...CLEAN, ...tree });
    expect(found).toEqual(reports.map((report) => expect.stringContaining(report)));
  });

  test("generated files may be long", () => {
    expect(
      reportsOn({
        "db/migrations/snapshot.ts": "let a;\n".repeat(500),
        "db/seed/demo.data.ts": "a;\n".repeat(500),
      }),
    ).toEqual([]);
  });

  test("long functions in tests count in no measure", () => {
    expect(reportsOn({ "core/a.test.ts": `test(() => {\n${"call();\n".repeat(300)}});\n` })).toEqual([]);
  });
});

describe("the command", () => {
  const check = (tree: Tree) =>
    spawnSync(process.execPath, [fileURLToPath(new URL("./check.ts", import.meta.url)), build(tree)], {
      encoding: "utf8",
    });

  test("prints the sizes and succeeds on a clean tree", () => {
    const { status, stdout } = check({
      "core/a.ts": "export const a = () => 1;\n\n\n",
      "core/b.ts": "export {};\n",
    });
    expect(stdout.trimEnd().split("\n")).toEqual([
      "files: 2, lines median 1, 95th percentile 3, longest 3 (core/a.ts)",
      "functions in core: 1, lines median 1, 95th percentile 1, longest 1 (a in core/a.ts)",
      "functions in app: none",
      "functions anywhere: 1, lines median 1, 95th percentile 1, longest 1 (a in core/a.ts)",
      "2 source files checked, 0 breaches",
    ]);
    expect(status).toBe(0);
  });

  test("fails on a breach", () => {
    const { status, stdout } = check({ "core/utils.ts": "export const a = 1;\n" });
    expect(stdout).toMatch(/^core\/utils\.ts:1 'utils' says nothing of what is inside/);
    expect(stdout.trimEnd()).toMatch(/1 source files checked, 1 breach$/);
    expect(status).toBe(1);
  });
});
