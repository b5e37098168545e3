import type { WorksOn } from "#db/tables/catalog.ts";

/** Where a tool works, in the order in which the shop lists it. */
export const WORKS_ON: readonly [WorksOn, ...WorksOn[]] = ["phone", "laptop", "extension"];

/** The labels of single values, for the owner's form and records. */
export const WORKS_ON_LABELS: Readonly<Record<WorksOn, string>> = {
  phone: "Phone",
  laptop: "Laptop",
  extension: "Needs extension",
};

/** Whether the owner says where the tool works, and not on a phone. */
export function isForComputers(places: readonly WorksOn[]): boolean {
  return places.length > 0 && !places.includes("phone");
}

/** What buyers read about a place of a tool. A tool that also works on a phone needs the extension on computers only. */
export function placeLabel(place: WorksOn, places: readonly WorksOn[]): string {
  if (place === "extension" && !isForComputers(places)) return "Extension on computers";
  return WORKS_ON_LABELS[place];
}

/** What a card says about a tool that does not work everywhere by itself, such as "Laptop · Needs extension"; else null. */
export function placesRemark(places: readonly WorksOn[]): string | null {
  if (places.length === 1 && places[0] === "laptop") return "Laptop only";
  const remarkable = isForComputers(places) ? places : places.filter((place) => place === "extension");
  return remarkable.map((place) => placeLabel(place, places)).join(" · ") || null;
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
