import { MINUTE } from "../time.ts";

/** How long a checkout keeps its unit of stock while the buyer pays, in milliseconds. */
export const HOLD_MS = 15 * MINUTE;

/** Checkouts that one account may have under way. */
export const HOLDS_PER_ACCOUNT = 3;

/**
 * Checkouts under way that accounts which never bought may have from one address, all together: enough for the many
 * buyers behind one address of a mobile carrier, too few to empty the shelves.
 */
export const HOLDS_PER_ADDRESS = 20;

/** Checkouts that one account may start, each with an order at the gateway, within `STARTS_WINDOW_MS`. */
export const STARTS_PER_ACCOUNT = 30;
export const STARTS_WINDOW_MS = 10 * MINUTE;
