/**
 * Returns a number that grows with every change of the catalogue or the settings, in any process; null while changes are
 * not heard. What was read while it had one value is true while it has the same value.
 */
export type CatalogueVersion = () => number | null;
