import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { strToU8, type Zippable, zipSync } from "fflate";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { DocumentExportError, type OldExport } from "../source.ts";
import { openDocumentExport } from "./document-export.ts";

const COLLECTIONS = new Set(["tools", "users", "accounts", "user_purchases"]);
const isCollection = (name: string) => COLLECTIONS.has(name.toLowerCase());
const TOOL = '{"id":"a","price":5}';
const TOOLS = `[${TOOL}]`;

let root = "";
let folder = "";
/** Where zips are unpacked. */
let temporaryFolder = "";

beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), "document-export-test-"));
});
afterAll(() => rmSync(root, { recursive: true, force: true }));
beforeEach(() => {
  folder = mkdtempSync(join(root, "export-"));
  temporaryFolder = mkdtempSync(join(root, "temporary-"));
});

function write(files: Record<string, string | Uint8Array>): void {
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), content);
  }
}

const openFolder = () => openDocumentExport(folder, { isCollection });

/** `name@path`: the ids of its documents, or why one is unreadable. */
async function contentOf({ files }: OldExport): Promise<Record<string, string[]>> {
  const content: Record<string, string[]> = {};
  for (const file of files) {
    const read: string[] = [];
    for await (const one of file.read()) read.push(one.kind === "document" ? one.document.id : one.why);
    content[`${file.name}@${file.path}`] = read;
  }
  return content;
}

const readFolder = async (files: Record<string, string | Uint8Array>) => {
  write(files);
  return contentOf(await openFolder());
};

test("the files at the top of a folder and one level below are collections, named as written, and others are ignored with a reason", async () => {
  write({
    "User_Purchases.json": TOOLS,
    "tools.ndjson": `${TOOL}\n`,
    "accounts.JSONL": TOOL,
    "Users/Users.json": '{"u1":{"email":"asha@example.com"}}',
    "tools/export.json": TOOLS,
    "a/b/tools.json": TOOLS,
    "hash-config.json": '{"algorithm":"SCRYPT","rounds":8}',
    "notes.txt": "x",
    "old.zip": "x",
    ".DS_Store": "x",
    "empty.json": "",
    "page.json": "<html>",
    "wide.json": Buffer.from("\uFEFF[]", "utf16le"),
  });
  symlinkSync("/etc/passwd", join(folder, "users.json"));
  const found = await openFolder();
  expect(await contentOf(found)).toEqual({
    "User_Purchases@User_Purchases.json": ["a"],
    "tools@tools.ndjson": ["a"],
    "accounts@accounts.JSONL": ["a"],
    "Users@Users/Users.json": ["u1"],
    "tools@tools/export.json": ["a"],
  });
  expect(Object.fromEntries(found.ignored.map(({ path, why }) => [path, why]))).toEqual({
    "a/b/tools.json": "it lies in more than one folder",
    "notes.txt": "it does not end in .json, .ndjson or .jsonl",
    "old.zip": "it is packed: unpack it first",
    ".DS_Store": "it is hidden",
    "empty.json": "it is empty",
    "page.json": "it is not JSON",
    "wide.json": "it is UTF-16 text: save it as UTF-8",
    "users.json": "it is no file",
  });
});

test("a folder that holds nothing but a folder is passed over", async () => {
  expect(await readFolder({ "2025/shop/tools/tools.json": TOOLS, "2025/shop/users.json": TOOLS })).toEqual({
    "tools@2025/shop/tools/tools.json": ["a"],
    "users@2025/shop/users.json": ["a"],
  });
});

test.each([
  ["a list", "tools.json", TOOLS],
  ["a map by id", "tools.json", '\uFEFF{"a":{"price":5}}'],
  ["a map by id whose documents have only maps", "tools.json", '{"a":{"options":{"x":1}}}'],
  ["a list below a key", "tools.json", '{"users":[{"id":"a"}],"kind":"x"}'],
  [
    "a list below a key among others",
    "tools.json",
    '{"errors":[{"id":"x"}],"documents":[{"id":"a"}],"page":null}',
  ],
  ["data with a list", "tools.json", '{"data":[{"id":"a"}]}'],
  ["data with a map", "tools.json", '{"data":{"a":{"price":5}},"at":"2025-01-05"}'],
  ["its own name as the key", "tools.json", '{"Tools":{"a":{"price":5}}}'],
  [
    "a list of the REST interface",
    "tools.json",
    '{"documents":[{"name":"projects/p/documents/tools/a","fields":{}}],"nextPageToken":"x"}',
  ],
  ["a list in an .ndjson", "tools.ndjson", TOOLS],
])("a file with %s is one collection", async (_what, path, content) => {
  expect(await readFolder({ [path]: content })).toEqual({ [`tools@${path}`]: ["a"] });
});

test("a page of a longer list is known as not complete, in both forms", async () => {
  write({
    "tools.json": '{"documents":[{"name":"projects/p/documents/tools/a","fields":{}}],"nextPageToken":"x"}',
    "accounts.json": '{"users":[{"localId":"u"}],"nextPageToken":"x"}',
    "whole.json": '{"tools":[{"id":"a"}],"kind":"x"}',
  });
  expect((await openFolder()).incomplete).toEqual(["accounts.json", "tools.json"]);
});

test("documents that follow each other in a .json are read, on one line each or on several", async () => {
  const pretty = JSON.stringify({ id: "b", list: [{ x: 1 }] }, null, 2);
  expect(await readFolder({ "tools.json": `${TOOL}\n${pretty}\n${TOOL}` })).toEqual({
    "tools@tools.json": ["a", "b", "a"],
  });
});

test("more than a hundred documents by id are one collection, also when one has its name", async () => {
  const documents = Object.fromEntries(Array.from({ length: 150 }, (_, n) => [`d${n}`, { map: { n } }]));
  const read = await readFolder({ "x.json": JSON.stringify({ ...documents, users: { map: {} } }) });
  expect(read["x@x.json"]).toHaveLength(151);
});

test("accounts.json of the auth service keeps its name, and a file with one collection gets the name of that", async () => {
  const list = '{"users":[{"localId":"u1","email":"asha@example.com"}]}';
  expect(await readFolder({ "accounts.json": list, "export.json": list })).toEqual({
    "accounts@accounts.json": ["u1"],
    "users@export.json": ["u1"],
  });
});

test.each([
  ["", ""],
  ['{"__collections__":', "}"],
  ['{"version":1,"data":', "}"],
])("a file with all collections (%s…%s) gives each of them", async (before, after) => {
  const all = {
    tools: { a: { price: 5, __collections__: {} }, b: {} },
    Users: { u1: { email: "asha@example.com" } },
    other: [{ id: "o" }],
    empty: {},
  };
  write({ "export.json": `${before}${JSON.stringify(all)}${after}` });
  const found = await openFolder();
  expect(await contentOf(found)).toEqual({
    "tools@export.json": ["a", "b"],
    "Users@export.json": ["u1"],
    "other@export.json": ["o"],
    "empty@export.json": [],
  });
  for await (const one of found.files[1]?.read() ?? [])
    expect(one).toMatchObject({ document: { where: "export.json, Users, document 1" } });
});

test("what is no collection in a file with all of them is ignored with a reason", async () => {
  write({ "export.json": '{"tools":{"a":{}},"Users":[],"meta":{"version":1}}' });
  expect((await openFolder()).ignored).toEqual([
    { path: "export.json, meta", why: "it holds no list and no map of documents" },
  ]);
});

test("a file with all collections that ends in the middle gives what is before, and says so", async () => {
  const text = '{"tools":{"a":{"price":5}},"Users":{"u1":{"email":"x"},"u2":{"em';
  expect(await readFolder({ "export.json": text })).toEqual({
    "tools@export.json": ["a"],
    "Users@export.json": ["u1", "the file ends in the middle"],
  });
});

test("a file can be read again, and half", async () => {
  write({ "tools.json": '[{"id":"a"},{"id":"b"}]' });
  const found = await openFolder();
  for await (const one of found.files[0]?.read() ?? []) {
    expect(one).toMatchObject({ document: { id: "a" } });
    break;
  }
  expect(await contentOf(found)).toEqual({ "tools@tools.json": ["a", "b"] });
});

test("settings are read by their name in any case, below a folder too", async () => {
  write({ "auth/Hash-Config.JSON": '\uFEFF{"rounds":8}', "tools.json": TOOLS });
  expect(await (await openFolder()).readHashConfig()).toBe('{"rounds":8}');
});

test.each([
  ["hash-config.txt", "hash_config {}"],
  ["password_hash_parameters", "hash_config {}"],
  ["hash-config.json", '{"hash_config":{"rounds":8}}'],
])("the settings in %s are no collection and nothing that is ignored", async (name, text) => {
  write({ [name]: text, "tools.json": TOOLS });
  const found = await openFolder();
  expect(await found.readHashConfig()).toBe(text);
  expect(found.files.map(({ path }) => path)).toEqual(["tools.json"]);
  expect(found.ignored).toEqual([]);
});

test("settings that are too large are refused, and an export may have none", async () => {
  write({ "tools.json": TOOLS });
  expect(await (await openFolder()).readHashConfig()).toBeNull();
  write({ "hash-config.json": `"${"x".repeat(1024 * 1024)}"` });
  await expect((await openFolder()).readHashConfig()).rejects.toThrow(
    new DocumentExportError("hash-config.json is larger than 1 MB."),
  );
});

test("a list of 30 MB takes a few MB of memory", async () => {
  const document = JSON.stringify({ id: "a", text: "x".repeat(1000) });
  write({ "tools.json": `[${Array.from({ length: 30_000 }, () => document).join(",")}]` });
  const [file] = (await openFolder()).files;
  let count = 0;
  let largest = 0;
  const before = process.memoryUsage().external;
  for await (const one of file?.read() ?? []) {
    if (one.kind === "document" && ++count % 1000 === 0)
      largest = Math.max(largest, process.memoryUsage().external - before);
  }
  expect(count).toBe(30_000);
  // The buffers of a reader that takes the file as a whole are outside of the heap, as this figure is.
  expect(largest).toBeLessThan(8 * 1024 * 1024);
});

describe("a zip", () => {
  const zipped = (files: Zippable): string => {
    const path = join(folder, "export.zip");
    writeFileSync(path, zipSync(files, { level: 9 }));
    return path;
  };
  const openZip = (path: string) =>
    openDocumentExport(path, { isCollection, unpackInto: join(temporaryFolder, "export-") });

  /** Refused with a sentence, and nothing is left on the disk. */
  async function expectRefusal(path: string, message: RegExp): Promise<void> {
    const refusal = await openZip(path).then(
      () => null,
      (error: unknown) => error,
    );
    expect(refusal).toBeInstanceOf(DocumentExportError);
    expect((refusal as Error).message).toMatch(message);
    expect(readdirSync(temporaryFolder)).toEqual([]);
  }

  /** Changes bytes of the zip on the disk. */
  function patch(path: string, change: (bytes: Buffer) => Buffer): string {
    writeFileSync(path, change(readFileSync(path)));
    return path;
  }

  const CENTRAL = Buffer.from("PK\x01\x02");

  test("a zip is read as the folder in it, from a folder only its owner may open, which close removes", async () => {
    const path = zipped({
      "shop/tools.json": strToU8(TOOLS),
      "shop/Users/users.ndjson": [strToU8(TOOL), { level: 0 }],
      "shop/hash-config.json": strToU8('{"rounds":8}'),
      "shop/inner.zip": strToU8("x"),
      "__MACOSX/shop/._tools.json": strToU8("x"),
      "shop/बिक्री.json": strToU8(TOOLS),
    });
    const found = await openZip(path);
    const [unpacked = ""] = readdirSync(temporaryFolder);
    expect(statSync(join(temporaryFolder, unpacked)).mode & 0o777).toBe(0o700);
    expect(await contentOf(found)).toEqual({
      "tools@shop/tools.json": ["a"],
      "users@shop/Users/users.ndjson": ["a"],
      "बिक्री@shop/बिक्री.json": ["a"],
    });
    expect(found.ignored.map(({ path: ignored, why }) => `${ignored}: ${why}`)).toEqual([
      "__MACOSX/shop/._tools.json: it is hidden",
      "shop/inner.zip: it is packed: unpack it first",
    ]);
    expect(await found.readHashConfig()).toBe('{"rounds":8}');
    await found.close();
    expect(readdirSync(temporaryFolder)).toEqual([]);
  });

  test("a zip with the separators of Windows is read", async () => {
    const found = await openZip(zipped({ "shop\\tools.json": strToU8(TOOLS) }));
    expect(await contentOf(found)).toEqual({ "tools@shop/tools.json": ["a"] });
    await found.close();
  });

  test.each([
    "../tools.json",
    "a/../../tools.json",
    "/tools.json",
    "C:/tools.json",
    "c:tools.json",
    "..\\tools.json",
    "a\0.json",
  ])("a zip with the path %j is refused", async (name) => {
    await expectRefusal(zipped({ "users.json": strToU8(TOOLS), [name]: strToU8(TOOLS) }), /unsafe path/);
  });

  test("a zip with a link is refused", async () => {
    const link: Zippable[string] = [strToU8("/etc/passwd"), { os: 3, attrs: (0o120777 << 16) >>> 0 }];
    await expectRefusal(zipped({ "tools.json": link }), /has a link: "tools.json"/);
  });

  test("a zip with more than 1,000 files is refused", async () => {
    const names = Array.from({ length: 1001 }, (_, n) => [`${n}.txt`, strToU8("")]);
    await expectRefusal(zipped(Object.fromEntries(names)), /more than 1000 files/);
  });

  test("a zip that becomes far larger than it is, is refused while it is unpacked, whatever its sizes say", async () => {
    const path = zipped({ "tools.json": new Uint8Array(30 * 1024 * 1024).fill(0x20) });
    expect(statSync(path).size).toBeLessThan(60_000);
    await expectRefusal(path, /far more than its size allows/);
    const lying = patch(path, (bytes) => {
      bytes.writeUInt32LE(100, bytes.indexOf(CENTRAL) + 24);
      return bytes;
    });
    await expectRefusal(lying, /broken: "tools.json"/);
  });

  test("a bomb among the files of a zip that are not read is not unpacked", async () => {
    const found = await openZip(
      zipped({ "photo.png": new Uint8Array(30 * 1024 * 1024), "tools.json": strToU8(TOOLS) }),
    );
    expect(await contentOf(found)).toEqual({ "tools@tools.json": ["a"] });
    await found.close();
  });

  test("a zip that is encrypted is refused", async () => {
    const path = patch(zipped({ "tools.json": strToU8(TOOLS) }), (bytes) => {
      bytes.writeUInt16LE(1, bytes.indexOf(CENTRAL) + 8);
      return bytes;
    });
    await expectRefusal(path, /encrypted/);
  });

  test("a zip that is truncated anywhere, or is none, is refused", async () => {
    const path = zipped({ "tools.json": strToU8(TOOLS), "users.json": [strToU8(TOOLS), { level: 0 }] });
    const bytes = readFileSync(path);
    for (let length = 0; length < bytes.length; length++)
      await expectRefusal(
        patch(path, () => bytes.subarray(0, length)),
        /not a zip|broken/,
      );
    await expectRefusal(
      patch(path, () => Buffer.from(TOOLS)),
      /not a zip/,
    );
  });

  test("a zip with one wrong byte in a file is refused", async () => {
    const path = zipped({ "users.json": [strToU8(TOOLS), { level: 0 }] });
    await expectRefusal(
      patch(path, (bytes) => {
        const at = bytes.indexOf('"price"');
        bytes[at + 1] = 0x51;
        return bytes;
      }),
      /broken: "users.json"/,
    );
  });

  test("a zip whose directory has a wrong byte gives a refusal or its documents, and never another error", async () => {
    const path = zipped({ "tools.json": strToU8(TOOLS) });
    const bytes = readFileSync(path);
    for (let at = bytes.indexOf(CENTRAL); at < bytes.length; at++) {
      patch(path, () => {
        const changed = Buffer.from(bytes);
        changed[at] = (changed[at] ?? 0) ^ 0xff;
        return changed;
      });
      const outcome = await openZip(path).catch((error: unknown) => error);
      if (!(outcome instanceof DocumentExportError)) await (outcome as OldExport).close();
      expect(readdirSync(temporaryFolder)).toEqual([]);
    }
  });

  test("a zip is not unpacked further when the import is stopped, and nothing is left", async () => {
    const path = zipped({ "tools.json": strToU8(TOOLS) });
    const signal = AbortSignal.abort();
    const opened = openDocumentExport(path, {
      isCollection,
      unpackInto: join(temporaryFolder, "export-"),
      signal,
    });
    await expect(opened).rejects.toThrow(/abort/i);
    expect(readdirSync(temporaryFolder)).toEqual([]);
  });
});

test("a path without anything is refused with a sentence", async () => {
  const missing = openDocumentExport(join(folder, "missing"), { isCollection });
  await expect(missing).rejects.toThrow(/There is no folder or zip .+missing\./);
});
