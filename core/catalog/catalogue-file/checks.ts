import type { z } from "zod";
import { cleanText } from "../../typed-text.ts";
import { foldSimpleCode } from "../../vault/seal-secrets.ts";
import type { couponEntry } from "../coupon-fields.ts";
import type {
  accessCodeSchema,
  credentialSchema,
  pageSchema,
  storeSchema,
  toolSchema,
} from "./entry-schemas.ts";
import type { JsonPath } from "./read-entries.ts";
import { type FileProblem, getMember, type ListedEntry } from "./read-entries.ts";

/*
 * Checks across fields and entries: prices that contradict each other, names that are used twice, references to entries
 * that do not exist.
 */

type Tool = z.output<typeof toolSchema>;

interface Entries {
  /** undefined: it is missing or invalid. */
  store: z.output<typeof storeSchema> | undefined;
  tools: ListedEntry<Tool>[];
  pages: ListedEntry<z.output<typeof pageSchema>>[];
  accessCodes: ListedEntry<z.output<typeof accessCodeSchema>>[];
  credentials: ListedEntry<z.output<typeof credentialSchema>>[];
  coupons: ListedEntry<z.output<typeof couponEntry>>[];
}

interface Named {
  path: JsonPath;
  value: string;
}

/** @param text the message, given the entry that has the value first */
function findRepeated(names: readonly Named[], text: (first: string) => string): FileProblem[] {
  const firsts = new Map<string, JsonPath>();
  return names.flatMap(({ path, value }) => {
    const key = value.toLowerCase();
    const first = firsts.get(key);
    if (first === undefined) firsts.set(key, path);
    return first === undefined ? [] : [{ path, text: text(`${String(first[0])}[${String(first[1])}]`) }];
  });
}

function checkOriginalPrice(path: JsonPath, price?: number, original?: number): FileProblem[] {
  if (price === undefined || original === undefined || original >= price) return [];
  return [{ path: [...path, "originalPrice"], text: "must not be below price" }];
}

function checkPrices(path: JsonPath, tool: Tool): FileProblem[] {
  const hasOptions = tool.pricingOptions.length > 0;
  const problems = (["price", "validityDays"] as const).flatMap((key) =>
    !hasOptions && tool[key] === undefined
      ? [{ path: [...path, key], text: "is missing (or list pricingOptions)" }]
      : [],
  );
  if (tool.price === 0 && tool.contactOnly && !hasOptions)
    problems.push({ path: [...path, "contactOnly"], text: "must be false for a free tool" });
  return [...problems, ...checkOriginalPrice(path, tool.price, tool.originalPrice)];
}

const NO_SERVER =
  "must list at least one server, or credentialService be given, so that a pass opens something";

function checkTool({ index, entry }: ListedEntry<Tool>): FileProblem[] {
  const path = ["tools", index];
  const optionPath = (at: number) => [...path, "pricingOptions", at];
  const options = entry.pricingOptions;
  return [
    ...checkPrices(path, entry),
    ...(entry.servers.length === 0 && entry.credentialService === null
      ? [{ path: [...path, "servers"], text: NO_SERVER }]
      : []),
    ...options.flatMap((option, at) =>
      checkOriginalPrice(optionPath(at), option.price, option.originalPrice),
    ),
    ...findRepeated(
      options.map((option, at) => ({ path: [...optionPath(at), "label"], value: option.label })),
      () => "is used by another option of this tool",
    ),
    ...findRepeated(
      options.map((option, at) => ({
        path: [...optionPath(at), "validityDays"],
        value: String(option.validityDays),
      })),
      () => "is used by another option of this tool",
    ),
    ...findRepeated(
      entry.servers.map((server, at) => ({ path: [...path, "servers", at, "name"], value: server.name })),
      () => "is used by another server of this tool",
    ),
  ];
}

function listField<Entry>(
  section: Exclude<keyof Entries, "store">,
  list: readonly ListedEntry<Entry>[],
  key: string,
  read: (entry: Entry) => string,
): Named[] {
  return list.map(({ index, entry }) => ({ path: [section, index, key], value: read(entry) }));
}

function listItems(path: JsonPath, values: readonly string[]): Named[] {
  return values.map((value, at) => ({ path: [...path, at], value }));
}

function findDuplicates({ tools, pages, accessCodes, credentials, coupons }: Entries): FileProblem[] {
  const also = (first: string) => `is already used by ${first}`;
  const serverIds = tools.flatMap(({ index, entry }) =>
    entry.servers.map(({ id }, at) => ({ path: ["tools", index, "servers", at, "id"], value: id })),
  );
  const signIns = listField(
    "credentials",
    credentials,
    "email",
    ({ service, email }) => `${service} ${email}`,
  );
  return [
    ...findRepeated(
      listField("tools", tools, "slug", ({ slug }) => slug),
      also,
    ),
    ...findRepeated(
      listField("tools", tools, "name", ({ name }) => name),
      also,
    ),
    ...findRepeated(serverIds, also),
    ...findRepeated(
      listField("pages", pages, "page", ({ page }) => page),
      also,
    ),
    ...pages.flatMap(({ index, entry }) => [
      ...findRepeated(listItems(["pages", index, "names"], entry.names), () => "is listed twice"),
      ...findRepeated(listItems(["pages", index, "toolSlugs"], entry.toolSlugs), () => "is listed twice"),
    ]),
    ...findRepeated(
      listField("accessCodes", accessCodes, "simpleCode", ({ simpleCode }) => foldSimpleCode(simpleCode)),
      also,
    ),
    ...findRepeated(signIns, (first) => `is already given for this service by ${first}`),
    ...findRepeated(
      listField("coupons", coupons, "code", ({ code }) => code),
      also,
    ),
  ];
}

const trimIfText = (value: unknown) => (typeof value === "string" ? cleanText(value) : value);

/** Looks up tools in the unparsed file, so that a mistake inside a tool is not reported again by references to it. */
function checkReferences(
  document: Record<string, unknown>,
  { store, pages, accessCodes, coupons }: Entries,
): FileProblem[] {
  const list = document.tools;
  const written = new Map<unknown, unknown>();
  for (const tool of Array.isArray(list) ? list.toReversed() : [])
    written.set(trimIfText(getMember(tool, "slug")), tool);
  const unknownTool = (path: JsonPath, slug: string): FileProblem[] =>
    written.has(slug) ? [] : [{ path, text: `must be the slug of a tool of this file, "${slug}" is none` }];

  const giveaway = store?.giveawayToolSlug;
  return [
    ...(giveaway === undefined ? [] : unknownTool(["store", "giveawayToolSlug"], giveaway)),
    ...pages.flatMap(({ index, entry }) => [
      ...unknownTool(["pages", index, "page"], entry.page),
      ...entry.toolSlugs.flatMap((slug, at) => unknownTool(["pages", index, "toolSlugs", at], slug)),
    ]),
    ...coupons.flatMap(({ index, entry }) => unknownTool(["coupons", index, "toolSlug"], entry.toolSlug)),
    ...accessCodes.flatMap(({ index, entry }) => {
      const unknown = unknownTool(["accessCodes", index, "toolSlug"], entry.toolSlug);
      if (unknown.length > 0) return unknown;
      const servers = getMember(written.get(entry.toolSlug), "servers");
      if (!Array.isArray(servers)) return [];
      const names = servers.map((server) => trimIfText(getMember(server, "name")));
      return names.includes(entry.serverName)
        ? []
        : [{ path: ["accessCodes", index, "serverName"], text: `must be a server of "${entry.toolSlug}"` }];
    }),
  ];
}

/** The active codes of a server are all for one buyer, or none is. They all are if the server says so. */
function checkKindsOfCodes({ tools, accessCodes }: Entries): FileProblem[] {
  const keyOf = (slug: string, server: string) => JSON.stringify([slug, server.toLowerCase()]);
  const kinds = new Map(
    tools.flatMap(({ entry: { slug, servers } }) =>
      servers.filter(({ perBuyer }) => perBuyer).map(({ name }) => [keyOf(slug, name), true]),
    ),
  );
  return accessCodes.flatMap(({ index, entry: { toolSlug, serverName, perBuyer, isActive } }) => {
    if (!isActive) return [];
    const key = keyOf(toolSlug, serverName);
    const kind = kinds.get(key) ?? perBuyer;
    kinds.set(key, kind);
    return kind === perBuyer
      ? []
      : [
          {
            path: ["accessCodes", index, "perBuyer"],
            text: `must be ${kind}, as the other codes of this server are`,
          },
        ];
  });
}

/** @param document the unparsed file, in which references are looked up */
export function checkAcrossEntries(document: Record<string, unknown>, entries: Entries): FileProblem[] {
  return [
    ...entries.tools.flatMap(checkTool),
    ...findDuplicates(entries),
    ...checkReferences(document, entries),
    ...checkKindsOfCodes(entries),
  ];
}
