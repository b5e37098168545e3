import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { strFromU8, unzipSync } from "fflate";
import { afterAll, expect, test } from "vitest";
import { extensionIdOf, extensionKeyOf, makeExtensionZip } from "./extension-zip.ts";

const folder = mkdtempSync(join(tmpdir(), "daypass-extension-"));
afterAll(() => rmSync(folder, { recursive: true }));
mkdirSync(join(folder, "content-scripts"));
const manifest = {
  version: "1.2.3",
  host_permissions: ["https://shop-origin.invalid/*"],
  browser_specific_settings: { gecko: { id: "daypass@shop-origin.invalid" } },
};
writeFileSync(join(folder, "manifest.json"), JSON.stringify(manifest));
writeFileSync(
  join(folder, "content-scripts", "page.js"),
  'const a=`https://shop-origin.invalid`;b("https://shop-origin.invalid/x")',
);
writeFileSync(join(folder, "icon.png"), Buffer.from([0x89, 0x50, 0xff, 0]));

const filesOf = (zip: ReturnType<typeof makeExtensionZip>) => {
  if (zip === null) throw new Error("there is no zip");
  return unzipSync(zip.content);
};

test("the zip has the shop's origin in its scripts and its host, without the port, in its manifest", () => {
  const zip = makeExtensionZip(folder, "firefox", "http://localhost:3000");
  const files = filesOf(zip);
  expect(zip?.version).toBe("1.2.3");
  expect(JSON.parse(strFromU8(files["manifest.json"] ?? new Uint8Array()))).toEqual({
    version: "1.2.3",
    host_permissions: ["http://localhost/*"],
    browser_specific_settings: { gecko: { id: "daypass@localhost-3000" } },
  });
  expect(strFromU8(files["content-scripts/page.js"] ?? new Uint8Array())).toBe(
    'const a=`http://localhost:3000`;b("http://localhost:3000/x")',
  );
  expect([...(files["icon.png"] ?? [])]).toEqual([0x89, 0x50, 0xff, 0]);
});

test("equal shops have equal zips, and another shop has another one", () => {
  const make = (origin: string) => makeExtensionZip(folder, "chrome", origin);
  expect(make("https://one.example")?.checksum).toBe(make("https://one.example")?.checksum);
  expect(make("https://one.example")?.checksum).not.toBe(make("https://two.example")?.checksum);
});

test("the Chrome extension of each shop has an id of its own that the shop's pages know", () => {
  const files = filesOf(makeExtensionZip(folder, "chrome", "https://one.example"));
  const { key } = JSON.parse(strFromU8(files["manifest.json"] ?? new Uint8Array()));
  expect(key).toBe(extensionKeyOf("https://one.example"));
  expect(extensionIdOf("https://one.example")).toMatch(/^[a-p]{32}$/);
  expect(extensionIdOf("https://one.example")).not.toBe(extensionIdOf("https://two.example"));
});

test("there is no zip before the extension is built", () => {
  expect(makeExtensionZip(join(folder, "missing"), "chrome", "https://one.example")).toBeNull();
});
