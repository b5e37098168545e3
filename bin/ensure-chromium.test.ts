import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { findChromium, findHeadlessShell } from "./ensure-chromium.ts";

function folderWith(programs: Record<string, string>): string {
  const folder = mkdtempSync(join(tmpdir(), "browsers-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  for (const [name, body] of Object.entries(programs)) {
    writeFileSync(join(folder, name), `#!/bin/sh\n${body}\n`);
    chmodSync(join(folder, name), 0o755);
  }
  return folder;
}

test("the search for a Chromium prefers the browser that CHROMIUM_PATH names to one on PATH", () => {
  const folder = folderWith({ chromium: "exit 0", mine: "exit 0" });
  const mine = join(folder, "mine");
  expect(findChromium({ env: { PATH: folder, CHROMIUM_PATH: mine }, downloaded: "" })).toBe(mine);
});

test("the search for a Chromium throws when the browser that CHROMIUM_PATH names does not start, and takes no other", () => {
  const folder = folderWith({ chromium: "exit 0" });
  const search = { env: { PATH: folder, CHROMIUM_PATH: join(folder, "gone") }, downloaded: "" };
  expect(() => findChromium(search)).toThrow(/^CHROMIUM_PATH is .*gone, which does not start/);
});

test("the search for a Chromium skips a launcher on PATH that does not start", () => {
  const folder = folderWith({
    chromium: "exit 1",
    "chromium-browser": "exit 127",
    "google-chrome": "exit 0",
  });
  expect(findChromium({ env: { PATH: folder }, downloaded: "" })).toBe(join(folder, "google-chrome"));
});

test("the search for a Chromium takes a downloaded browser last, and returns undefined when there is none", () => {
  const folder = folderWith({ downloaded: "exit 0" });
  const downloaded = join(folder, "downloaded");
  expect(findChromium({ env: { PATH: folder }, downloaded })).toBe(downloaded);
  expect(findChromium({ env: { PATH: folder }, downloaded: join(folder, "gone") })).toBeUndefined();
});

test("the search for a Chromium takes the browser without windows on PATH, but none besides the browser of CHROMIUM_PATH", () => {
  const folder = folderWith({ chromium: "exit 0", "chromium-headless-shell": "exit 0" });
  const shell = join(folder, "chromium-headless-shell");
  expect(findHeadlessShell({ env: { PATH: folder }, downloaded: "" })).toBe(shell);
  const named = { PATH: folder, CHROMIUM_PATH: join(folder, "chromium") };
  expect(findHeadlessShell({ env: named, downloaded: "" })).toBeUndefined();
  expect(findChromium({ env: { PATH: folder }, downloaded: "" })).toBe(join(folder, "chromium"));
});
