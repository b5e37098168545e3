import type { PricingOption, WorksOn } from "#db/tables/catalog.ts";

/** Where a tool works, in the order in which the shop lists it. */
export const WORKS_ON: readonly [WorksOn, ...WorksOn[]] = ["phone", "laptop", "extension"];

/** The labels of single values, for the owner's form and records. */
export const WORKS_ON_LABELS = {
  phone: "Phone",
  laptop: "Laptop",
  extension: "Needs extension",
} as const satisfies Record<WorksOn, string>;

/** What buyers read about a place of a tool. */
type PlaceLabel = (typeof WORKS_ON_LABELS)[WorksOn] | "Extension on computers" | "Computer only";

/** Whether the owner says where the tool works, and not on a phone. */
export function isForComputers(places: readonly WorksOn[]): boolean {
  return places.length > 0 && !places.includes("phone");
}

/** What buyers read about a place of a tool. A tool that also works on a phone needs the extension on computers only. */
export function placeLabel(place: WorksOn, places: readonly WorksOn[]): PlaceLabel {
  if (place === "extension" && !isForComputers(places)) return "Extension on computers";
  return WORKS_ON_LABELS[place];
}

/** What a card says about a tool that does not work everywhere by itself, such as "Computer only" and "Needs extension"; else nothing. */
export function remarkablePlaces(places: readonly WorksOn[]): PlaceLabel[] {
  const extension = places.includes("extension") ? [placeLabel("extension", places)] : [];
  return isForComputers(places) ? ["Computer only", ...extension] : extension;
}

/** The label of a stored value; any other text stays as it is. */
export function labelOfPlace(value: unknown): string {
  const place = WORKS_ON.find((known) => known === value);
  return place === undefined ? String(value) : WORKS_ON_LABELS[place];
}

/** Each value once, in the order of `WORKS_ON`. */
export function sortWorksOn(values: readonly WorksOn[]): WorksOn[] {
  return WORKS_ON.filter((value) => values.includes(value));
}

/**
 * The prices of a tool. Paise, days. With options, what is charged comes from the options only: a tool that an older version has
 * stored may have a price of its own that is none of them.
 */
export interface ToolPrices {
  pricePaise: number;
  originalPricePaise: number | null;
  validityDays: number;
  /** Shortest validity first. */
  pricingOptions: PricingOption[];
}

/** The shortest validity first. */
export function sortOptions(options: readonly PricingOption[]): PricingOption[] {
  return options.toSorted((a, b) => a.validityDays - b.validityDays);
}

/** The first of those with the lowest price. */
export function findCheapestOption(options: readonly PricingOption[]): PricingOption | undefined {
  return options.toSorted((a, b) => a.pricePaise - b.pricePaise)[0];
}

/**
 * A tool as the shop offers it: with options, price and validity are taken from the cheapest option, which the catalogue shows as
 * "from", and not from the tool itself.
 */
export function toOfferedPrices<Tool extends ToolPrices>(tool: Tool): Tool {
  const { pricePaise, originalPricePaise, validityDays } = findCheapestOption(tool.pricingOptions) ?? tool;
  return { ...tool, pricePaise, originalPricePaise, validityDays };
}

/**
 * The prices of a tool as they are stored. A single one is the tool's own price; several are its options, and the cheapest is the
 * tool's own price as well.
 */
export function toStoredPrices(prices: readonly [PricingOption, ...PricingOption[]]): ToolPrices {
  const sorted = sortOptions(prices);
  const { pricePaise, originalPricePaise, validityDays } = findCheapestOption(sorted) ?? prices[0];
  return { pricePaise, originalPricePaise, validityDays, pricingOptions: prices.length > 1 ? sorted : [] };
}

/** The label of an option that has none of its own: "1 Day", "30 Days". */
export function labelOfValidity(days: number): string {
  return days === 1 ? "1 Day" : `${days} Days`;
}
