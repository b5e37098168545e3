/** Values as databases of documents and their exporters write them, and the plain values that they mean. */

type Fields = Record<string, unknown>;

const NUL_REMOVED = "a NUL character was removed";
const HALF_REPLACED = "half of a character was replaced";

export const isMap = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** What is done with every text and key; null: nothing. */
export type Clean = ((text: string) => string) | null;

const cleaned = (text: string, clean: Clean) => (clean === null ? text : clean(text));

/** Whether Postgres can store the text: it has no NUL and no half of a character. */
export const isStorable = (text: string) => !text.includes("\0") && !/\p{Cs}/u.test(text);

/** @param repairs gets what was changed */
export function toStorable(text: string, repairs: Set<string>): string {
  let clean = text;
  if (clean.includes("\0")) {
    clean = clean.replaceAll("\0", "");
    repairs.add(NUL_REMOVED);
  }
  if (/\p{Cs}/u.test(clean)) {
    clean = clean.replaceAll(/\p{Cs}/gu, "\uFFFD");
    repairs.add(HALF_REPLACED);
  }
  return clean;
}

/**
 * Removes the typed wrappers from a parsed value, at every depth. A wrapper whose content makes no sense stays. The value
 * may be changed.
 */
function plainValue(value: unknown, clean: Clean): unknown {
  if (typeof value === "string") return cleaned(value, clean);
  if (Array.isArray(value)) return value.map((one) => plainValue(one, clean));
  if (!isMap(value)) return value;
  const keys = Object.keys(value);
  if (keys.length > 0 && keys.length <= 3) {
    const typed = typedValue(value, keys, clean);
    if (typed !== undefined) return typed;
  }
  return plainMap(value, clean);
}

/**
 * The map that was given, because copying every map takes as long as parsing it; another map when keys may change.
 * Object.fromEntries keeps a key named __proto__ a key.
 */
function plainMap(map: Fields, clean: Clean): Fields {
  if (clean !== null || Object.hasOwn(map, "__proto__"))
    return Object.fromEntries(
      Object.entries(map).map(([key, value]) => [cleaned(key, clean), plainValue(value, clean)]),
    );
  for (const key of Object.keys(map)) {
    const value = map[key];
    if (typeof value === "object" && value !== null) map[key] = plainValue(value, null);
  }
  return map;
}

/** @returns undefined when the map is no typed value, or its value cannot be read */
function typedValue(map: Fields, keys: string[], clean: Clean): unknown {
  if (keys.length === 1) return WRAPPERS.get(keys[0] ?? "")?.(Object.values(map)[0], clean);
  if (typeof map.__datatype__ === "string") return ofDatatype(map.__datatype__, map.value, clean);
  return timestamp(map);
}

/** `{_seconds, _nanoseconds}`, `{seconds, nanoseconds}`, `{seconds, nanos}`, with or without a type beside them. */
function timestamp(map: Fields): Date | undefined {
  const seconds = map._seconds ?? map.seconds;
  const nanoseconds = map._nanoseconds ?? map.nanoseconds ?? map.nanos;
  const rest = Object.keys(map).length - 2;
  const isTyped = rest === 0 || (rest === 1 && typeof map.type === "string");
  if (!isTyped || seconds === undefined || nanoseconds === undefined) return undefined;
  return dateOf(Number(seconds) * 1000 + Math.floor(Number(nanoseconds) / 1e6));
}

function ofDatatype(type: string, value: unknown, clean: Clean): unknown {
  if (type === "timestamp") return isMap(value) ? timestamp(value) : dateOf(value);
  if (type === "documentReference" && typeof value === "string") return cleaned(value, clean);
  if (type === "geopoint" && isMap(value)) return plainMap(value, clean);
  return undefined;
}

/** A Date of ISO text or of milliseconds since 1970. */
function dateOf(value: unknown): Date | undefined {
  const isTime = typeof value === "number" || (typeof value === "string" && /^\d{4}-\d\d-\d\d/.test(value));
  if (!isTime) return undefined;
  const date = new Date(value);
  return Number.isNaN(date.getTime()) ? undefined : date;
}

/** A number that JavaScript holds exactly; a larger one stays text. */
function numberOf(value: unknown): number | string | undefined {
  if (typeof value === "number") return value;
  if (typeof value !== "string" || !/^-?\d+(?:\.\d+)?(?:e[-+]?\d+)?$/i.test(value)) return undefined;
  const number = Number(value);
  return /^-?\d+$/.test(value) && !Number.isSafeInteger(number) ? value : number;
}

const textOf = (value: unknown, clean: Clean) =>
  typeof value === "string" ? cleaned(value, clean) : undefined;

type Unwrap = (content: unknown, clean: Clean) => unknown;

/** By their only key. */
const WRAPPERS: ReadonlyMap<string, Unwrap> = new Map(
  Object.entries<Unwrap>({
    // Extended JSON
    $date: (content) => dateOf(isMap(content) ? numberOf(content.$numberLong) : content),
    $oid: textOf,
    $numberInt: numberOf,
    $numberLong: numberOf,
    $numberDouble: numberOf,
    $numberDecimal: numberOf,
    // The REST interface of the hosted database
    stringValue: textOf,
    integerValue: numberOf,
    doubleValue: numberOf,
    booleanValue: (content) => (typeof content === "boolean" ? content : undefined),
    nullValue: () => null,
    timestampValue: dateOf,
    referenceValue: textOf,
    bytesValue: textOf,
    geoPointValue: (content, clean) => (isMap(content) ? plainMap(content, clean) : undefined),
    mapValue: (content, clean) =>
      isMap(content) ? plainMap(isMap(content.fields) ? content.fields : {}, clean) : undefined,
    arrayValue: (content, clean) => {
      if (!isMap(content)) return undefined;
      const { values = [] } = content;
      return Array.isArray(values) ? values.map((one) => plainValue(one, clean)) : undefined;
    },
    // Firefoo
    __time__: dateOf,
    __ref__: textOf,
  }),
);

/** In the order in which they are tried. */
const ID_FIELDS = ["id", "_id", "__id__", "uid", "localId"];
/** What scripts put beside the fields: `{"id":"abc","data":{…}}`. */
const BESIDE_DATA = new Set([
  "id",
  "_id",
  "path",
  "ref",
  "data",
  "exists",
  "createTime",
  "updateTime",
  "readTime",
]);
/** And beside the fields of a document of the REST interface. */
const BESIDE_FIELDS = new Set(["id", "name", "fields", "createTime", "updateTime"]);

/**
 * A parsed document as plain fields.
 *
 * @param key of the document in a map of documents; null in a list
 * @returns null for the id when the document has none
 */
export function plainDocument(
  document: Fields,
  key: string | null,
  clean: Clean,
): { id: string | null; fields: Fields } {
  const envelope = envelopeOf(document);
  const outside = envelope === null ? null : plainMap({ ...document, fields: null, data: null }, clean);
  const fields = plainMap(envelope ?? document, clean);
  return { id: key === null ? ((outside && idOf(outside)) ?? idOf(fields)) : cleaned(key, clean), fields };
}

/** The map within a document that has its fields, if they are not the document itself. */
function envelopeOf(document: Fields): Fields | null {
  const keys = Object.keys(document);
  if (isMap(document.fields) && keys.every((key) => BESIDE_FIELDS.has(key))) return document.fields;
  if (isMap(document.data) && keys.every((key) => BESIDE_DATA.has(key))) return document.data;
  return null;
}

function idOf(fields: Fields): string | null {
  for (const field of ID_FIELDS) {
    const id = fields[field];
    if (typeof id === "string" && id.trim() !== "") return id;
    if (typeof id === "number") return String(id);
  }
  const { name } = fields;
  const path = typeof name === "string" ? /^projects\/.+\/documents\/.+\/([^/]+)$/.exec(name) : null;
  return path?.[1] ?? null;
}
