/** The version of a code that the buyer's pass takes at the first reveal. */
export const UNTAKEN_CODE = "untaken";
