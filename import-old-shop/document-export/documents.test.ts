import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { ReadResult } from "../source.ts";
import { contentsOf } from "./collections.ts";
import { documentsOfLines, documentsOfText } from "./documents.ts";
import type { Chunks } from "./json-cursor.ts";

/** The text in pieces of some size. They share one buffer, as the pieces of a file do. */
function inPieces(text: string | Uint8Array, size: number, offset = 0): Chunks {
  const bytes = Buffer.from(text as string);
  const buffer = Buffer.alloc(size);
  let at = offset;
  return async () => {
    if (at >= bytes.length) return null;
    const length = bytes.copy(buffer, 0, at, at + size);
    at += length;
    return buffer.subarray(0, length);
  };
}

const WHOLE = { kind: "value", offset: 0, isWholeFile: true } as const;

async function readAll(results: AsyncIterable<ReadResult>): Promise<ReadResult[]> {
  const all: ReadResult[] = [];
  for await (const result of results) all.push(result);
  return all;
}

const readText = (text: string | Uint8Array, size = 65_536) =>
  readAll(documentsOfText(inPieces(text, size), "tools.json", WHOLE));

const readLines = (text: string, size = 65_536) =>
  readAll(documentsOfLines(inPieces(text, size), "tools.ndjson"));

const fieldsOf = (results: ReadResult[]) =>
  results.map((one) => (one.kind === "document" ? one.document.fields : one.why));

/** The fields that one document with this value has. */
async function plain(value: unknown): Promise<unknown> {
  const [result] = await readText(JSON.stringify([{ id: "a", value }]));
  return result?.kind === "document" ? result.document.fields.value : result;
}

describe("splitting", () => {
  /** Keys that neither typed values nor ids have. */
  const fields = fc.dictionary(
    fc.string({ unit: "binary" }).map((key) => `k${key.replaceAll(/[\0\p{Cs}]/gu, "")}`),
    fc.jsonValue({ maxDepth: 2 }).map((value) => JSON.parse(JSON.stringify(value).replaceAll("\\u0000", ""))),
  );
  const spaces = fc.constantFrom(0, 1, "\t", " \r\n".slice(1));

  test("any list of documents gives what JSON.parse gives, whatever the pieces are", async () => {
    const property = fc.asyncProperty(
      fc.array(fields),
      spaces,
      fc.integer({ min: 1, max: 40 }),
      async (documents, space, size) => {
        const text = JSON.stringify(documents, null, space);
        expect(fieldsOf(await readText(text, size))).toEqual(JSON.parse(text));
        const lines = documents.map((one) => `${JSON.stringify(one)}\n`).join("");
        expect(fieldsOf(await readLines(lines, size))).toEqual(JSON.parse(text));
      },
    );
    await fc.assert(property, { numRuns: 100 });
  });

  test("any map of documents gives what JSON.parse gives", async () => {
    const maps = fc.dictionary(
      fc.string().map((key) => `k${key}`),
      fields,
    );
    const property = fc.asyncProperty(maps, fc.integer({ min: 1, max: 40 }), async (documents, size) => {
      const read = await readText(JSON.stringify(documents), size);
      const entries = read.flatMap((one) =>
        one.kind === "document" ? [[one.document.id, one.document.fields]] : [one],
      );
      expect(entries).toEqual(Object.entries(JSON.parse(JSON.stringify(documents))));
    });
    await fc.assert(property, { numRuns: 100 });
  });

  test("a list of documents is read from any bytes without an error", async () => {
    const alphabet = fc.constantFrom(...'{}[]",:\\u0d8 \n1etf\u0000é');
    const property = fc.asyncProperty(
      fc.array(alphabet),
      fc.integer({ min: 1, max: 9 }),
      async (parts, size) => {
        for (const text of [parts.join(""), `[${parts.join("")}`, `{"a":${parts.join("")}`]) {
          await readLines(text, size);
          const contents = await contentsOf(
            (offset) => inPieces(text, size, offset),
            () => true,
          );
          const places =
            contents.kind === "many"
              ? contents.collections.map(({ place }) => place)
              : contents.kind === "one"
                ? [contents.place]
                : [];
          for (const place of places) {
            const offset = place.kind === "value" ? place.offset : 0;
            if (place.kind !== "lines")
              await readAll(documentsOfText(inPieces(text, size, offset), "x", place));
          }
        }
      },
    );
    await fc.assert(property, { numRuns: 150 });
  });

  test("a piece of a file may end at every byte, also within characters and escapes", async () => {
    const text =
      '\uFEFF [ {"id":"a","n":"नमस्ते 😀 \\"\\\\\\ud83d\\ude00\\n"} ,\r\n{"id":"b\\u00e9","list":[1,-2.5e3,true,null,{"x":"]}"}]}]\n';
    const expected = JSON.parse(text.slice(1));
    for (let size = 1; size <= Buffer.byteLength(text); size++)
      expect(fieldsOf(await readText(text, size)), `pieces of ${size}`).toEqual(expected);
  });

  test("a file that ends anywhere gives its whole documents and then says so", async () => {
    const text = '[{"id":"a","t":"x\\"y"},{"id":"b","t":[1,{}]}]';
    for (let length = 1; length < text.length; length++) {
      const read = await readText(text.slice(0, length), 7);
      const last = read.pop();
      expect(last, text.slice(0, length)).toMatchObject({
        kind: "unreadable",
        why: "the file ends in the middle",
      });
      expect(fieldsOf(read)).toEqual(JSON.parse(text).slice(0, read.length));
      expect(read.length).toBe(length >= text.length - 1 ? 2 : length >= 22 ? 1 : 0);
    }
  });

  test("the place of a document is said by its number or its line", async () => {
    expect(await readText('[{"id":"a"}, 5, {"id":"b"}]')).toMatchObject([
      { document: { id: "a", where: "tools.json, document 1" } },
      { kind: "unreadable", where: "tools.json, document 2" },
      { document: { id: "b", where: "tools.json, document 3" } },
    ]);
    expect(await readLines('\uFEFF{"id":"a"}\r\n\r\n{"id":\n{"id":"b"}')).toMatchObject([
      { document: { id: "a", where: "tools.ndjson, line 1" } },
      { kind: "unreadable", where: "tools.ndjson, line 3", why: "the document is not valid JSON" },
      { document: { id: "b", where: "tools.ndjson, line 4" } },
    ]);
  });

  test.each([
    '[{"id":"a"},]',
    '[{"id":"a"} {"id":"b"}]',
    '[{"id":"a"}] x',
    '{"a":{},}',
    '{"a" {}}',
  ])("the broken list %s gives what is before the mistake, and one unreadable place", async (text) => {
    const read = await readText(text);
    expect(read.at(-1)).toMatchObject({ kind: "unreadable" });
    expect(read.slice(0, -1).every(({ kind }) => kind === "document")).toBe(true);
    expect(read.length).toBe(text === '{"a" {}}' ? 1 : 2);
  });

  test("a broken document within a list does not hide the next one, and its content is not quoted", async () => {
    const read = await readText('[{"id":"a","password":hunter2},{"id":"b"}]');
    expect(read).toMatchObject([{ why: "the document is not valid JSON" }, { document: { id: "b" } }]);
    expect(JSON.stringify(read)).not.toContain("hunter2");
  });

  test("a document that is too deep or too large is unreadable, and the next one is read", async () => {
    const deep = (levels: number) => `${'{"a":'.repeat(levels)}1${"}".repeat(levels)}`;
    const large = `{"id":"l","t":"${"x".repeat(5 * 1024 * 1024)}"}`;
    const documents = [deep(40), deep(41), deep(100_000), large, '{"id":"b"}'];
    for (const read of [await readText(`[${documents.join(",")}]`), await readLines(documents.join("\n"))]) {
      expect(read.map(({ kind }) => kind)).toEqual([
        "document",
        "unreadable",
        "unreadable",
        "unreadable",
        "document",
      ]);
      expect(read[3]).toMatchObject({ why: "the document is larger than 5 MB" });
    }
  });
});

test("a NUL is removed and half of a character replaced, in values, keys and ids, and the report is told", async () => {
  const [first, second] = await readText(
    '{"a\\u0000b":{"k\\u0000":"x\\u0000y","h":["\\ud83d!"]},"c":{"t":"\\ud83d\\ude00"}}',
  );
  expect(first).toEqual({
    kind: "document",
    document: {
      id: "ab",
      fields: { k: "xy", h: ["\uFFFD!"] },
      where: "tools.json, document 1",
      repairs: ["a NUL character was removed", "half of a character was replaced"],
    },
  });
  expect(second).toMatchObject({ document: { fields: { t: "😀" } } });
  expect(second).not.toHaveProperty("document.repairs");
});

test("bytes that are no UTF-8 and control characters in a text are repaired", async () => {
  const latin = Buffer.concat([Buffer.from('[{"id":"a","t":"caf'), Buffer.from([0xe9]), Buffer.from('"}]')]);
  expect(await readText(latin)).toMatchObject([
    { document: { fields: { t: "caf\uFFFD" }, repairs: ["bytes that are not UTF-8 were replaced"] } },
  ]);
  expect(await readText('[{"id":"a","t":"one\ntwo\0"}]')).toMatchObject([
    { document: { fields: { t: "one two " }, repairs: ["control characters in a text became spaces"] } },
  ]);
});

test("a duplicate key of a document has its last value, and __proto__ is a key as any other", async () => {
  const [result] = await readText('[{"id":"a","n":1,"n":2,"__proto__":{"isAdmin":true}}]');
  expect(result).toMatchObject({ document: { fields: { n: 2 } } });
  const fields = result?.kind === "document" ? result.document.fields : {};
  expect(Object.keys(fields)).toEqual(["id", "n", "__proto__"]);
  expect(fields.isAdmin).toBeUndefined();
});

test.each([
  [{ id: "a", uid: "b" }, "a"],
  [{ id: "", _id: "b" }, "b"],
  [{ _id: { $oid: "65a" } }, "65a"],
  [{ __id__: "c" }, "c"],
  [{ uid: "d" }, "d"],
  [{ localId: "e" }, "e"],
  [{ id: 7 }, "7"],
  [
    { name: "projects/p/databases/(default)/documents/tools/abc", fields: { id: { stringValue: "x" } } },
    "abc",
  ],
  [{ id: "f", data: { id: "inner", price: 5 } }, "f"],
])("the id is read from the document %j", async (document, id) => {
  expect(await readText(JSON.stringify([document]))).toMatchObject([{ document: { id } }]);
});

test("a document without id gets one of its content, whatever its place is", async () => {
  const [first] = await readText('[{"price":5}]');
  const [, second] = await readText('[{"price":6},{"price":5}]');
  expect(first).toMatchObject({
    document: { repairs: ["the document has no id: one was made of its content"] },
  });
  expect(first?.kind === "document" && second?.kind === "document" && first.document.id).toBe(
    second?.kind === "document" && second.document.id,
  );
});

test("the fields of a document are those in its envelope", async () => {
  const rest = {
    name: "projects/p/documents/tools/abc",
    fields: { price: { integerValue: "5" } },
    createTime: "2025-01-05T00:00:00Z",
  };
  const script = { id: "f", data: { price: 5 } };
  const own = { id: "g", data: { price: 5 }, price: 6 };
  expect(fieldsOf(await readText(JSON.stringify([rest, script, own])))).toEqual([
    { price: 5 },
    { price: 5 },
    own,
  ]);
});

describe("typed values", () => {
  const moment = new Date("2025-01-05T09:34:05.123Z");
  const seconds = 1_736_069_645;

  test.each([
    { _seconds: seconds, _nanoseconds: 123_000_000 },
    { seconds, nanoseconds: 123_999_999 },
    { seconds: String(seconds), nanos: 123_000_000 },
    { type: "firestore/timestamp/1.0", seconds, nanoseconds: 123_000_000 },
    { __datatype__: "timestamp", value: { _seconds: seconds, _nanoseconds: 123_000_000 } },
    { __datatype__: "timestamp", value: moment.toISOString() },
    { $date: moment.toISOString() },
    { $date: moment.getTime() },
    { $date: { $numberLong: String(moment.getTime()) } },
    { timestampValue: moment.toISOString() },
    { __time__: moment.toISOString() },
  ])("the value %j is a moment", async (value) => {
    expect(await plain(value)).toEqual(moment);
    expect(await plain({ deep: [value] })).toEqual({ deep: [moment] });
  });

  test.each([
    [{ __datatype__: "documentReference", value: "users/abc" }, "users/abc"],
    [
      { __datatype__: "geopoint", value: { _latitude: 1, _longitude: 2 } },
      { _latitude: 1, _longitude: 2 },
    ],
    [{ $numberLong: "5" }, 5],
    [{ $numberDouble: "5.5" }, 5.5],
    [{ $numberLong: "9007199254740993" }, "9007199254740993"],
    [{ $oid: "65a" }, "65a"],
    [{ stringValue: "x" }, "x"],
    [{ integerValue: "5" }, 5],
    [{ doubleValue: 5.5 }, 5.5],
    [{ booleanValue: false }, false],
    [{ nullValue: null }, null],
    [{ referenceValue: "projects/p" }, "projects/p"],
    [{ mapValue: { fields: { a: { integerValue: "1" } } } }, { a: 1 }],
    [{ mapValue: {} }, {}],
    [{ arrayValue: { values: [{ stringValue: "x" }, { nullValue: null }] } }, ["x", null]],
    [{ arrayValue: {} }, []],
  ])("the value %j becomes %j", async (value, expected) => {
    expect(await plain(value)).toEqual(expected);
  });

  const maps: Record<string, unknown>[] = [
    { _seconds: "soon", _nanoseconds: 0 },
    { _seconds: 1e300, _nanoseconds: 0 },
    { $date: "soon" },
    { integerValue: "many" },
    { seconds: 5 },
    { seconds: 5, nanoseconds: 0, unit: "s", more: 1 },
    { constructor: 1 },
    { __datatype__: "unknown", value: 1 },
    {},
  ];
  test.each(maps)("the value %j stays a map", async (value) => {
    expect(await plain(value)).toEqual(value);
  });
});
