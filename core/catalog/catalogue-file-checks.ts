import type { z } from "zod";
import { type FoundProblem, memberOf, type Placed } from "./catalogue-file-entries.ts";
import type {
  accessCodeSchema,
  couponSchema,
  credentialSchema,
  pageSchema,
  toolSchema,
} from "./catalogue-file-schemas.ts";
import type { JsonPath } from "./json-with-lines.ts";

/** What no single field can tell: prices that belong together, names used twice, references into nothing. */

type Tool = z.output<typeof toolSchema>;

interface Entries {
  tools: Placed<Tool>[];
  pages: Placed<z.output<typeof pageSchema>>[];
  accessCodes: Placed<z.output<typeof accessCodeSchema>>[];
  credentials: Placed<z.output<typeof credentialSchema>>[];
  coupons: Placed<z.output<typeof couponSchema>>[];
}

interface Named {
  path: JsonPath;
  value: string;
}

function repeated(names: readonly Named[], text: (first: string) => string): FoundProblem[] {
  const firsts = new Map<string, JsonPath>();
  return names.flatMap(({ path, value }) => {
    const key = value.toLowerCase();
    const first = firsts.get(key);
    if (first === undefined) firsts.set(key, path);
    return first === undefined ? [] : [{ path, text: text(`${String(first[0])}[${String(first[1])}]`) }];
  });
}

function originalBelowPrice(path: JsonPath, price?: number, original?: number): FoundProblem[] {
  if (price === undefined || original === undefined || original >= price) return [];
  return [{ path: [...path, "originalPrice"], text: "must not be below price" }];
}

function pricesOf(path: JsonPath, tool: Tool): FoundProblem[] {
  const hasOptions = tool.pricingOptions.length > 0;
  const problems = (["price", "originalPrice", "validityDays"] as const).flatMap((key) => {
    if (hasOptions && tool[key] !== undefined)
      return [
        {
          path: [...path, key],
          text: "must be left out when there are pricingOptions (the cheapest one is used)",
        },
      ];
    if (!hasOptions && key !== "originalPrice" && tool[key] === undefined)
      return [{ path: [...path, key], text: "is missing (or list pricingOptions)" }];
    return [];
  });
  if (tool.price === 0 && tool.contactOnly)
    problems.push({ path: [...path, "contactOnly"], text: "must be false for a free tool" });
  return [...problems, ...originalBelowPrice(path, tool.price, tool.originalPrice)];
}

function insideTool({ index, entry }: Placed<Tool>): FoundProblem[] {
  const path = ["tools", index];
  const optionPath = (at: number) => [...path, "pricingOptions", at];
  const options = entry.pricingOptions;
  return [
    ...pricesOf(path, entry),
    ...options.flatMap((option, at) =>
      originalBelowPrice(optionPath(at), option.price, option.originalPrice),
    ),
    ...repeated(
      options.map((option, at) => ({ path: [...optionPath(at), "label"], value: option.label })),
      () => "is used by another option of this tool",
    ),
    ...repeated(
      options.map((option, at) => ({
        path: [...optionPath(at), "validityDays"],
        value: String(option.validityDays),
      })),
      () => "is used by another option of this tool",
    ),
    ...repeated(
      entry.servers.map((server, at) => ({ path: [...path, "servers", at, "name"], value: server.name })),
      () => "is used by another server of this tool",
    ),
  ];
}

function fieldOf<Entry>(
  section: keyof Entries,
  list: readonly Placed<Entry>[],
  key: string,
  read: (entry: Entry) => string,
): Named[] {
  return list.map(({ index, entry }) => ({ path: [section, index, key], value: read(entry) }));
}

function itemsOf(path: JsonPath, values: readonly string[]): Named[] {
  return values.map((value, at) => ({ path: [...path, at], value }));
}

function usedTwice({ tools, pages, accessCodes, credentials, coupons }: Entries): FoundProblem[] {
  const also = (first: string) => `is already used by ${first}`;
  const serverIds = tools.flatMap(({ index, entry }) =>
    entry.servers.map(({ id }, at) => ({ path: ["tools", index, "servers", at, "id"], value: id })),
  );
  const signIns = fieldOf("credentials", credentials, "email", ({ service, email }) => `${service} ${email}`);
  return [
    ...repeated(
      fieldOf("tools", tools, "slug", ({ slug }) => slug),
      also,
    ),
    ...repeated(
      fieldOf("tools", tools, "name", ({ name }) => name),
      also,
    ),
    ...repeated(serverIds, also),
    ...repeated(
      fieldOf("pages", pages, "page", ({ page }) => page),
      also,
    ),
    ...pages.flatMap(({ index, entry }) => [
      ...repeated(itemsOf(["pages", index, "names"], entry.names), () => "is listed twice"),
      ...repeated(itemsOf(["pages", index, "toolSlugs"], entry.toolSlugs), () => "is listed twice"),
    ]),
    ...repeated(
      fieldOf("accessCodes", accessCodes, "simpleCode", ({ simpleCode }) => simpleCode),
      also,
    ),
    ...repeated(signIns, (first) => `is already given for this service by ${first}`),
    ...repeated(
      fieldOf("coupons", coupons, "code", ({ code }) => code),
      also,
    ),
  ];
}

const trimmed = (value: unknown) => (typeof value === "string" ? value.trim() : value);

/** Looks names up among all tools as written, so that a mistake inside a tool is not reported again by who refers to it. */
function references(
  document: Record<string, unknown>,
  { pages, accessCodes, coupons }: Entries,
): FoundProblem[] {
  const list = document.tools;
  const written = Array.isArray(list)
    ? list.map((tool) => ({ slug: trimmed(memberOf(tool, "slug")), tool }))
    : [];
  const unknownTool = (path: JsonPath, slug: string): FoundProblem[] =>
    written.some((tool) => tool.slug === slug)
      ? []
      : [{ path, text: `must be the slug of a tool of this file, "${slug}" is none` }];

  return [
    ...pages.flatMap(({ index, entry }) => [
      ...unknownTool(["pages", index, "page"], entry.page),
      ...entry.toolSlugs.flatMap((slug, at) => unknownTool(["pages", index, "toolSlugs", at], slug)),
    ]),
    ...coupons.flatMap(({ index, entry }) => unknownTool(["coupons", index, "toolSlug"], entry.toolSlug)),
    ...accessCodes.flatMap(({ index, entry }) => {
      const unknown = unknownTool(["accessCodes", index, "toolSlug"], entry.toolSlug);
      if (unknown.length > 0) return unknown;
      const servers = memberOf(written.find((tool) => tool.slug === entry.toolSlug)?.tool, "servers");
      if (!Array.isArray(servers)) return [];
      const names = servers.map((server) => trimmed(memberOf(server, "name")));
      return names.includes(entry.serverName)
        ? []
        : [{ path: ["accessCodes", index, "serverName"], text: `must be a server of "${entry.toolSlug}"` }];
    }),
  ];
}

/** @param document the file as written, for looking up what entries refer to */
export function crossCheck(document: Record<string, unknown>, entries: Entries): FoundProblem[] {
  return [...entries.tools.flatMap(insideTool), ...usedTwice(entries), ...references(document, entries)];
}
