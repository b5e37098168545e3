import { MINUTE } from "../time.ts";

/** How long a checkout keeps its unit of stock while the buyer pays, in milliseconds. */
export const HOLD_MS = 15 * MINUTE;

/** The gateway takes no smaller amount; a smaller price is charged as this. Paise. */
export const SMALLEST_CHARGE_PAISE = 100;
