import type { WorksOn } from "#db/tables/catalog.ts";

/** Where a tool works, in the order in which the shop lists it. */
export const WORKS_ON: readonly [WorksOn, ...WorksOn[]] = ["phone", "laptop", "extension"];

export const WORKS_ON_LABELS: Readonly<Record<WorksOn, string>> = {
  phone: "Phone",
  laptop: "Laptop",
  extension: "Needs extension",
};

/** Whether the owner says where the tool works, and not on a phone. */
export function isForComputers(places: readonly WorksOn[]): boolean {
  return places.length > 0 && !places.includes("phone");
}

/** What a card says about a tool that does not work on a phone, such as "Laptop · Needs extension". */
export function computerLabel(places: readonly WorksOn[]): string {
  const labels = places.map((place) => WORKS_ON_LABELS[place]);
  return labels.length === 1 && places[0] === "laptop" ? "Laptop only" : labels.join(" · ");
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
