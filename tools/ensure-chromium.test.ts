import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { findChromium } from "./ensure-chromium.ts";

function folderWith(programs: Record<string, string>): string {
  const folder = mkdtempSync(join(tmpdir(), "browsers-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  for (const [name, body] of Object.entries(programs)) {
    writeFileSync(join(folder, name), `#!/bin/sh\n${body}\n`);
    chmodSync(join(folder, name), 0o755);
  }
  return folder;
}

test("the named browser wins over one on PATH", () => {
  const folder = folderWith({ chromium: "exit 0", mine: "exit 0" });
  const mine = join(folder, "mine");
  expect(findChromium({ env: { PATH: folder, CHROMIUM_PATH: mine }, downloaded: "" })).toBe(mine);
});

test("a named browser that does not start is an error, not a reason to take another", () => {
  const folder = folderWith({ chromium: "exit 0" });
  const search = { env: { PATH: folder, CHROMIUM_PATH: join(folder, "gone") }, downloaded: "" };
  expect(() => findChromium(search)).toThrow(/^CHROMIUM_PATH is .*gone, which does not start/);
});

test("a launcher without its browser is passed over", () => {
  const folder = folderWith({
    chromium: "exit 1",
    "chromium-browser": "exit 127",
    "google-chrome": "exit 0",
  });
  expect(findChromium({ env: { PATH: folder }, downloaded: "" })).toBe(join(folder, "google-chrome"));
});

test("a downloaded browser is the last resort, and none is undefined", () => {
  const folder = folderWith({ downloaded: "exit 0" });
  const downloaded = join(folder, "downloaded");
  expect(findChromium({ env: { PATH: folder }, downloaded })).toBe(downloaded);
  expect(findChromium({ env: { PATH: folder }, downloaded: join(folder, "gone") })).toBeUndefined();
});
