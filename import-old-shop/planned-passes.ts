import type { PassInTime } from "./convert-purchases.ts";

/** The newer collection first: its record is kept when both have the same purchase. */
export const PURCHASE_COLLECTIONS = ["user_purchases", "purchases"] as const;
export type PurchaseCollection = (typeof PURCHASE_COLLECTIONS)[number];

export const keyOf = (collection: PurchaseCollection, documentId: string) => `${collection}/${documentId}`;

/** Numbers of a pass: its tool, begin, end, collection and document. */
const NUMBERS = 5;

/** The passes of an export by their buyer, as numbers: there may be a million. */
export class PlannedPasses {
  readonly #places = new Map<string, number>();
  readonly #documentIds: string[] = [];
  readonly #byBuyer = new Map<string, number[]>();

  add(
    userId: string,
    pass: {
      documentId: string;
      startsAt: Date;
      expiresAt: Date;
      collection: PurchaseCollection;
      place: string;
    },
  ): void {
    const place = this.#places.get(pass.place) ?? this.#places.size;
    this.#places.set(pass.place, place);
    const numbers = this.#byBuyer.get(userId) ?? [];
    numbers.push(place, pass.startsAt.getTime(), pass.expiresAt.getTime());
    numbers.push(PURCHASE_COLLECTIONS.indexOf(pass.collection), this.#documentIds.length);
    this.#documentIds.push(pass.documentId);
    this.#byBuyer.set(userId, numbers);
  }

  buyers(): string[] {
    return [...this.#byBuyer.keys()];
  }

  /**
   * The passes of a buyer by their tool, where there are several.
   *
   * @param ofShop those that the shop has. They come last, and only tools of the export count
   */
  of(userId: string, ofShop: readonly (PassInTime & { place: string })[]): PassInTime[][] {
    const byPlace = new Map<number, PassInTime[]>();
    const numbers = this.#byBuyer.get(userId) ?? [];
    for (let at = 0; at < numbers.length; at += NUMBERS) {
      const [place = 0, startsAt = 0, expiresAt = 0, collectionAt = 0, documentAt = 0] = numbers.slice(
        at,
        at + NUMBERS,
      );
      const collection = PURCHASE_COLLECTIONS[collectionAt] ?? PURCHASE_COLLECTIONS[0];
      const key = keyOf(collection, this.#documentIds[documentAt] ?? "");
      const pass = {
        key,
        startsAt: new Date(startsAt),
        expiresAt: new Date(expiresAt),
        isInShop: false,
        collection,
      };
      const others = byPlace.get(place);
      if (others) others.push(pass);
      else byPlace.set(place, [pass]);
    }
    for (const { place, ...pass } of ofShop) byPlace.get(this.#places.get(place) ?? -1)?.push(pass);
    return [...byPlace.values()].filter((passes) => passes.length > 1);
  }
}
