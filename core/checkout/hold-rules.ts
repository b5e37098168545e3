import { DAY, MINUTE } from "../time.ts";

/** How long a hold lasts while the buyer pays, in milliseconds. */
export const HOLD_MS = 15 * MINUTE;

/** Open checkouts that one account may have. */
export const HOLDS_PER_ACCOUNT = 3;

/**
 * Open checkouts from one address, of all accounts that have never bought anything: enough for the many buyers who
 * share one address of a mobile carrier, too few to hold the whole stock.
 */
export const HOLDS_PER_ADDRESS = 20;

/**
 * When a tool has this many units or more, accounts that have never bought anything hold at most half of them together. When it
 * has fewer, they may hold all, because most buyers of a small shop are new.
 */
export const SHARED_FROM_UNITS = 4;

/** Checkouts that one account may start, each with an order at the gateway, within `STARTS_WINDOW_MS`. */
export const STARTS_PER_ACCOUNT = 30;
export const STARTS_WINDOW_MS = 10 * MINUTE;

/** A pass can be renewed in its last days. */
export const RENEWAL_DAYS = 7;

/** From when on a pass that ends then can be renewed. */
export const renewableFrom = (passEnd: Date): Date => new Date(passEnd.getTime() - RENEWAL_DAYS * DAY);
