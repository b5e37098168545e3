import { countMistakes } from "#core/typed-text.ts";
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

/** The mistakes in a misspelt name. */
const MOST_MISTAKES = 2;

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
  const near = NAMES.map(([known, collection]) => ({ collection, mistakes: countMistakes(letters, known) }))
    .filter(({ mistakes }) => mistakes <= MOST_MISTAKES)
    .toSorted((a, b) => a.mistakes - b.mistakes);
  return near[0] === undefined ? null : { collection: near[0].collection, isExact: false };
}
