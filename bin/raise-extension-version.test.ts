import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { EXTENSION_SOURCES } from "#contracts/extension-version.ts";
import { hashExtensionSources, raiseVersion, VERSION_FILE } from "./raise-extension-version.ts";

const ROOT = join(import.meta.dirname, "..");

test("the version of the extension was raised with the last change of its sources", () => {
  expect(
    hashExtensionSources(ROOT),
    "the extension or its contracts changed: node bin/daypass.mjs exec bin/raise-extension-version.ts",
  ).toBe(EXTENSION_SOURCES);
});

function copyOfSources(): string {
  const root = mkdtempSync(join(tmpdir(), "daypass-extension-"));
  onTestFinished(() => rmSync(root, { recursive: true }));
  for (const folder of ["contracts", "extension"])
    cpSync(join(ROOT, folder), join(root, folder), { recursive: true });
  return root;
}

test.each([
  ["an entrypoint", "extension/entrypoints/background.ts", true],
  ["a style sheet", "extension/popup/popup.css", true],
  ["a new file", "extension/popup/another-file.ts", true],
  ["the configuration", "extension/wxt.config.ts", true],
  ["an icon", "extension/public/icon/16.png", true],
  ["a contract", "contracts/page-messages.ts", true],
  ["the version itself", VERSION_FILE, false],
  ["a test", "extension/popup/time-left.test.ts", false],
  ["a generated type", "extension/.wxt/wxt.d.ts", false],
])("a change of %s is one of the extension: %s: %s", (_what, file, isExtension) => {
  const root = copyOfSources();
  mkdirSync(dirname(join(root, file)), { recursive: true });
  writeFileSync(join(root, file), "changed");
  expect(hashExtensionSources(root) !== hashExtensionSources(ROOT)).toBe(isExtension);
});

const source = (version: string, hash: string) =>
  `export const EXTENSION_VERSION = "${version}";\nexport const EXTENSION_SOURCES = "${hash}";\n`;

test.each([
  ["other sources raise the last number", "new", undefined, source("1.1.10", "new")],
  ["other sources get the version that is asked for", "new", "1.2", source("1.2", "new")],
  ["the same sources keep their version", "old", undefined, source("1.1.9", "old")],
])("%s", (_rule, hash, next, expected) => {
  expect(raiseVersion(source("1.1.9", "old"), hash, next)).toBe(expected);
});

test.each([
  "1.1.9",
  "1.1.8",
  "1",
  "1.1.9.0",
  "next",
  "",
  "1.1.9-beta",
  "1.1.999999",
])("the version %j is refused, and the file stays as it is", (next) => {
  expect(() => raiseVersion(source("1.1.9", "old"), "new", next)).toThrow(/no version|not newer/);
});
