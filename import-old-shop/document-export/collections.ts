import { open } from "node:fs/promises";
import type { Place } from "./documents.ts";
import {
  BrokenJsonError,
  type Chunks,
  chunksOf,
  END,
  JsonCursor,
  OPEN_LIST,
  OPEN_MAP,
} from "./json-cursor.ts";

export type Contents =
  /** The file is one collection. `key`: the key that its documents are below, if any. */
  | { kind: "one"; key: string | null; place: Place; hasMore?: boolean }
  /** Several collections; `ignored`: the keys of what is none. */
  | { kind: "many"; collections: { name: string; place: Place }[]; ignored: string[] }
  | { kind: "none"; why: string };

/** Keys that exporters put around their collections, and around one list. */
const AROUND_COLLECTIONS = new Set(["__collections__", "collections", "data"]);
const AROUND_DOCUMENTS = new Set(["documents", "docs", "data", "items", "records", "results", "rows"]);
/** The keys of a map that are read: one of documents has no known collection among them. */
const MAX_KEYS_BEFORE_A_COLLECTION = 100;
const NO_DOCUMENTS = "it holds no list and no map of documents";

interface Entry {
  key: string;
  offset: number;
  /** "maps": a map whose first value is a map, or an empty one. "list": of maps, or an empty one. */
  shape: "list" | "maps" | "map" | "other";
}

/** @param isCollection whether a name belongs to a collection; tells a map of collections from a map of documents */
export async function findCollections(
  file: string,
  isCollection: (name: string) => boolean,
): Promise<Contents> {
  const handle = await open(file);
  try {
    return await contentsOf((offset) => chunksOf(handle, offset), isCollection);
  } finally {
    await handle.close();
  }
}

export async function contentsOf(
  chunksFrom: (offset: number) => Chunks,
  isCollection: (name: string) => boolean,
): Promise<Contents> {
  const first = (await chunksFrom(0)()) ?? new Uint8Array(0);
  if ((first[0] === 0xff && first[1] === 0xfe) || (first[0] === 0xfe && first[1] === 0xff))
    return { kind: "none", why: "it is UTF-16 text: save it as UTF-8" };
  try {
    return await contentsAt(chunksFrom, 0, isCollection);
  } catch (error) {
    if (error instanceof BrokenJsonError) return { kind: "none", why: error.message };
    throw error;
  }
}

async function contentsAt(
  chunksFrom: (offset: number) => Chunks,
  start: number,
  isCollection: (name: string) => boolean,
): Promise<Contents> {
  const cursor = new JsonCursor(chunksFrom(start), start);
  const first = await cursor.peek();
  if (first === END) return { kind: "none", why: "it is empty" };
  if (first !== OPEN_LIST && first !== OPEN_MAP) return { kind: "none", why: "it is not JSON" };
  const offset = cursor.position;
  const whole: Contents = {
    kind: "one",
    key: null,
    place: { kind: "value", offset, isWholeFile: start === 0 },
  };
  if (first === OPEN_LIST) return whole;
  const entries = await entriesOf(cursor, isCollection);
  if (start === 0 && entries.isClosed && (await cursor.peek()) === OPEN_MAP)
    return { kind: "one", key: null, place: { kind: "sequence" } };
  const contents = await collectionsAmong(entries.found, chunksFrom, isCollection);
  if (contents?.kind === "one" && entries.found.some(({ key }) => key === "nextPageToken"))
    return { ...contents, hasMore: true };
  return contents ?? (isMapOfDocuments(entries.found) ? whole : { kind: "none", why: NO_DOCUMENTS });
}

/** The entries of a map: all of them, or enough to know that it is one of documents. */
async function entriesOf(
  cursor: JsonCursor,
  isCollection: (name: string) => boolean,
): Promise<{ found: Entry[]; isClosed: boolean }> {
  const found: Entry[] = [];
  let isOfCollections = false;
  try {
    for await (const key of cursor.entries()) {
      if (key === null || (found.length >= MAX_KEYS_BEFORE_A_COLLECTION && !isOfCollections))
        return { found, isClosed: false };
      await cursor.peek();
      const entry: Entry = { key, offset: cursor.position, shape: "other" };
      found.push(entry);
      // Filled in as it is read, so that a file that ends in a collection still has its first documents.
      await readShape(cursor, entry);
      isOfCollections ||= isCompound(entry) && (AROUND_COLLECTIONS.has(key) || isCollection(key));
    }
  } catch (error) {
    // What is whole before the break is read, and the break is told then.
    if (!(error instanceof BrokenJsonError) || found.length === 0) throw error;
    return { found, isClosed: false };
  }
  return { found, isClosed: true };
}

async function readShape(cursor: JsonCursor, entry: Entry): Promise<void> {
  const first = await cursor.peek();
  if (first !== OPEN_LIST && first !== OPEN_MAP) {
    await cursor.value(0);
    return;
  }
  cursor.advance();
  const next = await cursor.peek();
  if (first === OPEN_LIST) {
    entry.shape = next === OPEN_MAP || next === CLOSE_LIST ? "list" : "other";
    await cursor.value(0, 1);
    return;
  }
  entry.shape = next === CLOSE_MAP ? "maps" : "map";
  if (entry.shape === "map") {
    // The first key and the colon.
    await cursor.value(0);
    if ((await cursor.peek()) === COLON) cursor.advance();
    if ((await cursor.peek()) === OPEN_MAP) entry.shape = "maps";
  }
  await cursor.value(0, 1);
}

const COLON = 0x3a;
const CLOSE_LIST = 0x5d;
const CLOSE_MAP = 0x7d;

const isCompound = ({ shape }: Entry) => shape === "list" || shape === "maps";

/** @returns null when none of the entries is a collection */
async function collectionsAmong(
  entries: Entry[],
  chunksFrom: (offset: number) => Chunks,
  isCollection: (name: string) => boolean,
): Promise<Contents | null> {
  const compounds = entries.filter(isCompound);
  const placeOf = ({ offset }: Entry): Place => ({ kind: "value", offset, isWholeFile: false });
  const known = compounds.filter(({ key }) => isCollection(key));
  if (known.length > 0) {
    const [only] = compounds;
    if (compounds.length === 1 && only !== undefined)
      return { kind: "one", key: only.key, place: placeOf(only) };
    const collections = compounds.map((entry) => ({ name: entry.key, place: placeOf(entry) }));
    return {
      kind: "many",
      collections,
      ignored: entries.filter((one) => !isCompound(one)).map(({ key }) => key),
    };
  }
  const around = compounds.find(({ key, shape }) => shape === "maps" && AROUND_COLLECTIONS.has(key));
  if (around !== undefined)
    return contentsAt(
      chunksFrom,
      around.offset,
      around.key === "__collections__" ? () => true : isCollection,
    );
  const lists = compounds.filter(({ shape }) => shape === "list");
  const list =
    lists.find(({ key }) => AROUND_DOCUMENTS.has(key)) ?? (lists.length === 1 ? lists[0] : undefined);
  return list === undefined ? null : { kind: "one", key: list.key, place: placeOf(list) };
}

/** A document or some settings have fields that are no maps. */
function isMapOfDocuments(entries: Entry[]): boolean {
  const maps = entries.filter(({ shape }) => shape === "map" || shape === "maps").length;
  return entries.length === 0 || maps * 2 > entries.length;
}
