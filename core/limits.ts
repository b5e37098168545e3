import type { LimitName } from "./rate-limiter.ts";

export interface Limit {
  tries: number;
  windowSeconds: number;
  /** Counted per browser address: scaled or turned off for shops behind one shared address. */
  perAddress: boolean;
}

const MINUTES = 60;
const HOURS = 60 * MINUTES;

/** How many tries each limit allows in its window. The window starts with the first try and does not slide. */
export const LIMITS: Record<LimitName, Limit> = {
  "sign-in-account": { tries: 10, windowSeconds: 15 * MINUTES, perAddress: false },
  "sign-in-address": { tries: 100, windowSeconds: 15 * MINUTES, perAddress: true },
  "sign-up-address": { tries: 20, windowSeconds: 1 * HOURS, perAddress: true },
  "reset-account": { tries: 3, windowSeconds: 1 * HOURS, perAddress: false },
  "reset-address": { tries: 20, windowSeconds: 1 * HOURS, perAddress: true },
  "coupon-account": { tries: 30, windowSeconds: 10 * MINUTES, perAddress: false },
  "coupon-address": { tries: 100, windowSeconds: 10 * MINUTES, perAddress: true },
  "coupon-address-signed-in": { tries: 300, windowSeconds: 10 * MINUTES, perAddress: true },
};
