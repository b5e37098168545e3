import { isUtf8 } from "node:buffer";
import { createHash } from "node:crypto";
import { open } from "node:fs/promises";
import type { ReadResult } from "../source.ts";
import { BrokenJsonError, type Chunks, chunksOf, END, JsonCursor, type Span } from "./json-cursor.ts";
import { isMap, isStorable, plainDocument, toStorable } from "./plain-values.ts";

const MAX_DOCUMENT_BYTES = 5 * 1024 * 1024;
const MAX_DEPTH = 40;
const TOO_LARGE = "the document is larger than 5 MB";
const NEWLINE = 0x0a;

/** Where the documents of a collection are in a file. */
export type Place =
  /** One on each line. */
  | { kind: "lines" }
  /** One after the other, on any number of lines. */
  | { kind: "sequence" }
  /** In the list or map at this offset in bytes. `isWholeFile`: nothing may follow it. */
  | { kind: "value"; offset: number; isWholeFile: boolean };

/** @param path of the file as the export names it, and the collection if the file has several */
export async function* readDocuments(file: string, path: string, place: Place): AsyncGenerator<ReadResult> {
  const handle = await open(file);
  try {
    const chunks = chunksOf(handle, place.kind === "value" ? place.offset : 0);
    if (place.kind === "lines") yield* documentsOfLines(chunks, path);
    else yield* documentsOfText(chunks, path, place);
  } finally {
    await handle.close();
  }
}

/**
 * The documents of a list, of a map by id, or of a sequence. What is broken ends them, because nothing shows where the next
 * one begins.
 */
export async function* documentsOfText(
  chunks: Chunks,
  path: string,
  place: Exclude<Place, { kind: "lines" }>,
): AsyncGenerator<ReadResult> {
  const cursor = new JsonCursor(chunks, place.kind === "value" ? place.offset : 0);
  let count = 0;
  try {
    for await (const key of place.kind === "value" ? cursor.entries() : cursor.sequence()) {
      await cursor.peek();
      const span = await cursor.value(MAX_DOCUMENT_BYTES);
      count++;
      yield readDocument(span, key, `${path}, document ${count}`);
    }
    if (place.kind === "value" && place.isWholeFile && (await cursor.peek()) !== END)
      throw new BrokenJsonError("there is more after the end of the documents");
  } catch (error) {
    if (!(error instanceof BrokenJsonError)) throw error;
    yield { kind: "unreadable", where: `${path}, after document ${count}`, why: error.message };
  }
}

/** One document on each line. A broken line is one unreadable document. */
export async function* documentsOfLines(chunks: Chunks, path: string): AsyncGenerator<ReadResult> {
  let line = 0;
  for await (const bytes of linesOf(chunks)) {
    line++;
    if (bytes === null) yield { kind: "unreadable", where: `${path}, line ${line}`, why: TOO_LARGE };
    else if (!isBlank(bytes))
      yield readDocument({ bytes, depth: depthOf(bytes) }, null, `${path}, line ${line}`);
  }
}

/** The lines of a text without their ends; null for a line that is too large. The bytes are valid until the next one. */
async function* linesOf(chunks: Chunks): AsyncGenerator<Buffer | null> {
  let parts: Buffer[] = [];
  let size = 0;
  const finish = () => {
    const line = size > MAX_DOCUMENT_BYTES ? null : Buffer.concat(parts);
    parts = [];
    size = 0;
    return line;
  };
  for (let chunk = await chunks(); chunk !== null; chunk = await chunks()) {
    const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    let start = 0;
    for (let end = bytes.indexOf(NEWLINE); end !== -1; end = bytes.indexOf(NEWLINE, start)) {
      const part = bytes.subarray(start, end);
      start = end + 1;
      if (size === 0) yield part;
      else {
        size += part.length;
        parts.push(part);
        yield finish();
      }
    }
    size += bytes.length - start;
    // Copied, because the next chunk may overwrite it; dropped when the line is too large.
    if (size <= MAX_DOCUMENT_BYTES) parts.push(Buffer.from(bytes.subarray(start)));
    else parts = [];
  }
  if (size > 0) yield finish();
}

const isBlank = (line: Buffer) => line.every((byte) => byte === 0x20 || byte === 0x09 || byte === 0x0d);

/** How many lists and maps lie in each other. */
function depthOf(line: Buffer): number {
  let depth = 0;
  let deepest = 0;
  let inText = false;
  for (let at = 0; at < line.length; at++) {
    const byte = line[at];
    if (inText && byte === 0x5c) at++;
    else if (byte === 0x22) inText = !inText;
    else if (!inText && (byte === 0x7b || byte === 0x5b)) deepest = Math.max(deepest, ++depth);
    else if (!inText && (byte === 0x7d || byte === 0x5d)) depth--;
  }
  return deepest;
}

function readDocument({ bytes, depth }: Span, key: string | null, where: string): ReadResult {
  const unreadable = (why: string): ReadResult => ({ kind: "unreadable", where, why });
  if (bytes === null) return unreadable(TOO_LARGE);
  if (depth > MAX_DEPTH)
    return unreadable(`the document has more than ${MAX_DEPTH} maps or lists in each other`);
  const repairs = new Set<string>();
  if (!isUtf8(bytes)) repairs.add("bytes that are not UTF-8 were replaced");
  const text = bytes.toString("utf8").replace(/^\uFEFF/, "");
  const parsed = parse(text, repairs);
  if (parsed === undefined) return unreadable("the document is not valid JSON");
  if (!isMap(parsed)) return unreadable("it is not a document: a map of fields is expected");
  // Only an escape can be a NUL or half of a character.
  const hasEscapes = text.includes("\\u") || (key !== null && !isStorable(key));
  const clean = hasEscapes ? (one: string) => toStorable(one, repairs) : null;
  const { id, fields } = plainDocument(parsed, key, clean);
  if (id === null || id === "") repairs.add("the document has no id: one was made of its content");
  const document = { id: id || idOfContent(text), fields, where };
  return {
    kind: "document",
    document: repairs.size === 0 ? document : { ...document, repairs: [...repairs] },
  };
}

/**
 * Line breaks and other control characters within a text are no JSON, and are read as spaces. The message of JSON.parse is
 * not used, because it quotes the text, which may be a password.
 */
function parse(text: string, repairs: Set<string>): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
    const spaced = text.replaceAll(/[\u0000-\u001f]/g, " ");
    try {
      const parsed: unknown = JSON.parse(spaced);
      repairs.add("control characters in a text became spaces");
      return parsed;
    } catch {
      return undefined;
    }
  }
}

/** The same in the next export, where the document may be at another place. */
const idOfContent = (text: string) => `no-id-${createHash("sha256").update(text).digest("hex").slice(0, 20)}`;
