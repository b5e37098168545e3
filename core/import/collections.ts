import type { ImportedCollection } from "#db/tables/imports.ts";

const NAMES: readonly (readonly [letters: string, collection: ImportedCollection])[] = [
  ["tools", "tools"],
  ["credentials", "credentials"],
  ["userpurchases", "user_purchases"],
  ["purchases", "purchases"],
  ["users", "users"],
  ["userdocuments", "user_documents"],
  ["accounts", "accounts"],
  ["accesscodes", "access_codes"],
  ["couponcodes", "coupon_codes"],
];

/** A misspelt name differs in so many letters at most. */
const MISSPELT_LETTERS = 2;

/**
 * The collection that a name means. Only its letters count, in any case.
 *
 * @returns `isExact`: false for a near miss, such as the misspelt copy of the credentials; null for any other name
 */
export function recogniseCollection(
  name: string,
): { collection: ImportedCollection; isExact: boolean } | null {
  const letters = name.toLowerCase().replace(/[^a-z]/g, "");
  for (const [known, collection] of NAMES) if (letters === known) return { collection, isExact: true };
  const near = NAMES.map(([known, collection]) => ({ collection, distance: distanceOf(letters, known) }))
    .filter(({ distance }) => distance <= MISSPELT_LETTERS)
    .toSorted((a, b) => a.distance - b.distance);
  return near[0] === undefined ? null : { collection: near[0].collection, isExact: false };
}

/** How many letters have to be added, removed, replaced or swapped with the next one (optimal string alignment). */
function distanceOf(a: string, b: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, at) => at);
  for (let row = 1; row <= a.length; row++) {
    const current = [row];
    for (let column = 1; column <= b.length; column++) {
      const isSame = a[row - 1] === b[column - 1];
      const isSwapped = a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1];
      const at = (line: readonly number[], index: number) => line[index] ?? Number.POSITIVE_INFINITY;
      current.push(
        Math.min(
          at(last, column) + 1,
          at(current, column - 1) + 1,
          at(last, column - 1) + (isSame ? 0 : 1),
          isSwapped ? at(beforeLast, column - 2) + 1 : Number.POSITIVE_INFINITY,
        ),
      );
    }
    beforeLast = last;
    last = current;
  }
  return last[b.length] ?? 0;
}
