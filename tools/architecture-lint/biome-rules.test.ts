import { spawnSync } from "node:child_process";
import { cpSync, rmSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { packageCommand, ROOT } from "../run-command.ts";
import { BIOME_CASES } from "./biome-fixtures.ts";
import { CLEAN, type Tree, writeTree } from "./fixtures.ts";

/** The rules of biome.json that are part of the architecture; what others say of the fixtures does not matter. */
const RULES = new Set([
  "complexity/noExcessiveLinesPerFunction",
  "performance/noBarrelFile",
  "performance/noReExportAll",
  "style/noExcessiveLinesPerFile",
  "style/noProcessEnv",
  "style/noRestrictedImports",
  "style/useFilenamingConvention",
  "suspicious/noImportCycles",
]);

/** Runs Biome with the repository's configuration. Resolves each file to its reports, as in `BiomeCase`. */
function lint(tree: Tree): Map<string, string[]> {
  const root = writeTree(tree);
  try {
    for (const name of ["biome.json", "package.json"]) cpSync(join(ROOT, name), join(root, name));
    const { stdout, stderr } = spawnSync(
      process.execPath,
      [
        packageCommand("@biomejs/biome", "biome"),
        ...["lint", "--reporter=github", "--max-diagnostics=none", "--colors=off", "."],
      ],
      { cwd: root, encoding: "utf8", maxBuffer: 100_000_000 },
    );
    if (!stdout.includes("::")) throw new Error(`Biome reported nothing: ${stderr}`);
    return readReports(stdout);
  } finally {
    rmSync(root, { recursive: true });
  }
}

function readReports(output: string): Map<string, string[]> {
  const reports = new Map<string, string[]>();
  for (const [, rule = "", file = "", line = ""] of output.matchAll(
    /^::\w+ title=lint\/([\w/]+),file=([^,]+),line=(\d+)/gm,
  )) {
    if (RULES.has(rule)) reports.set(file, [...(reports.get(file) ?? []), `${file}:${line} ${rule}`]);
  }
  return reports;
}

describe("Biome with the repository's configuration", () => {
  let reports: ReadonlyMap<string, string[]>;
  beforeAll(() => {
    reports = lint(Object.assign({}, CLEAN, ...BIOME_CASES.map((one) => one.tree)));
  });
  const reportsOn = (tree: Tree) => Object.keys(tree).flatMap((file) => reports.get(file) ?? []);

  test("accepts a clean tree", () => {
    expect(reportsOn(CLEAN)).toEqual([]);
  });

  test.each(BIOME_CASES)("$rule", ({ tree, reports: expected }) => {
    expect(reportsOn(tree).toSorted()).toEqual(expected.toSorted());
  });
});
