import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { ROOT } from "./run-command.ts";
import { requireEntry } from "./write-release.ts";

const CHANGELOG = `# Changelog

## [Unreleased]

## [1.2.0] - 2026-12-01

## [1.1.0] - 2026-11-30

### Added

- Something.
`;

test("a version without an entry in the changelog, or with an empty one, is not released", () => {
  expect(() => requireEntry(CHANGELOG, "1.1.0")).not.toThrow();
  for (const version of ["1.1", "1.2.0", "1.3.0", "Unreleased"])
    expect(() => requireEntry(CHANGELOG, version), version).toThrow(`says nothing under "## [${version}]`);
});

test("the changelog has an entry for the current version", () => {
  const { version } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));
  requireEntry(readFileSync(join(ROOT, "CHANGELOG.md"), "utf8"), version);
});
