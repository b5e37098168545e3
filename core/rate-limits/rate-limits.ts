import type { ErrorCode } from "../errors.ts";

/** The rate limits that operations enforce; `LIMITS` has their sizes. */
export type LimitName =
  | "sign-in-account"
  | "sign-in-account-at-address"
  | "sign-in-address"
  | "sign-in-known-browser"
  | "password-confirmation"
  | "password-change"
  | "name-account"
  | "data-download-account"
  | "sign-up-address"
  | "sign-up-attempt-address"
  | "sign-up-account"
  | "reset-account"
  | "reset-address"
  | "reset-link-account"
  | "coupon-account"
  | "coupon-address"
  | "coupon-address-signed-in"
  | "redemption-device"
  | "status-account"
  | "rename-account"
  | "connection-address"
  | "reveal-account"
  | "report-account"
  | "stock-alert-account"
  | "giveaway-account"
  | "diagnostics-address";

/** What a limit counts. `from` is the address of a browser, which stands for its network, or the id of a browser. */
export type LimitKey = string | { account: string; from: string };

export interface RateLimiter {
  /**
   * Counts one attempt of `key` against `limit`. A limit per address that all processes share counts it for each of
   * `networksOfAddress`, and does not count an attempt that it refuses.
   *
   * @throws DomainError when the limit is exceeded: its code is the limit's `refusal`, details.retryAfterSeconds says when
   *   to try again
   */
  consume(limit: LimitName, key: LimitKey): Promise<void>;
  /** Undoes one `consume` of `key`, for an attempt that was not made. A limit that is `perProcess` keeps its count. */
  undoConsume(limit: LimitName, key: LimitKey): Promise<void>;
  /** Sets the count of `key` to zero, after a success. */
  reset(limit: LimitName, key: LimitKey): Promise<void>;
  /** Sets the counts of an account to zero, wherever the attempts came from. */
  resetAccount(limit: LimitName, account: string): Promise<void>;
}

interface Limit {
  maxAttempts: number;
  windowSeconds: number;
  /** The key is the address of the browser. `perAddressFactor` scales this limit or turns it off. */
  perAddress: boolean;
  /**
   * Each process counts by itself, in memory and for a limited number of keys, so that an attempt writes nothing: for
   * requests that are limited because of their cost, not because of what they could guess.
   */
  perProcess?: true;
  /** The error code of a refused attempt. */
  refusal: ErrorCode;
}

const MINUTES = 60;
const HOURS = 60 * MINUTES;

/** How many attempts each limit allows in its window. The window starts with the first attempt and does not slide. */
export const LIMITS: Record<LimitName, Limit> = {
  /** All guesses for one account from browsers that it does not know. */
  "sign-in-account": {
    maxAttempts: 100,
    windowSeconds: 15 * MINUTES,
    perAddress: false,
    refusal: "sign-in-rate-limited",
  },
  /** Not scaled: it does not grow with the number of people at an address. */
  "sign-in-account-at-address": {
    maxAttempts: 10,
    windowSeconds: 15 * MINUTES,
    perAddress: false,
    refusal: "sign-in-rate-limited",
  },
  "sign-in-address": {
    maxAttempts: 100,
    windowSeconds: 15 * MINUTES,
    perAddress: true,
    refusal: "sign-in-rate-limited",
  },
  /** The only limit of a browser that has signed in to the account before. */
  "sign-in-known-browser": {
    maxAttempts: 10,
    windowSeconds: 15 * MINUTES,
    perAddress: false,
    refusal: "sign-in-rate-limited",
  },
  /** Per session. */
  "password-confirmation": {
    maxAttempts: 10,
    windowSeconds: 15 * MINUTES,
    perAddress: false,
    refusal: "sign-in-rate-limited",
  },
  /** Per account: passwords on the account page that were wrong, or did not become the new one. */
  "password-change": {
    maxAttempts: 10,
    windowSeconds: 15 * MINUTES,
    perAddress: false,
    refusal: "sign-in-rate-limited",
  },
  "name-account": {
    maxAttempts: 20,
    windowSeconds: 1 * HOURS,
    perAddress: false,
    refusal: "changes-too-fast",
  },
  /** Each reads everything that is stored about an account. */
  "data-download-account": {
    maxAttempts: 5,
    windowSeconds: 1 * HOURS,
    perAddress: false,
    refusal: "downloads-too-fast",
  },
  /** Accounts that were made, with a password or with Google. */
  "sign-up-address": {
    maxAttempts: 20,
    windowSeconds: 1 * HOURS,
    perAddress: true,
    refusal: "sign-up-rate-limited",
  },
  /** Sign-ups with a password, also those that make no account: each says whether an email is in use. */
  "sign-up-attempt-address": {
    maxAttempts: 200,
    windowSeconds: 1 * HOURS,
    perAddress: true,
    refusal: "sign-up-rate-limited",
  },
  /** Each attempt after the first says that the email is in use. */
  "sign-up-account": {
    maxAttempts: 10,
    windowSeconds: 1 * HOURS,
    perAddress: false,
    refusal: "sign-in-rate-limited",
  },
  "reset-account": {
    maxAttempts: 3,
    windowSeconds: 1 * HOURS,
    perAddress: false,
    refusal: "reset-rate-limited",
  },
  "reset-address": {
    maxAttempts: 20,
    windowSeconds: 1 * HOURS,
    perAddress: true,
    refusal: "reset-rate-limited",
  },
  /** New passwords that are tried with the reset links of an account: each costs the calculation of a hash. */
  "reset-link-account": {
    maxAttempts: 10,
    windowSeconds: 15 * MINUTES,
    perAddress: false,
    refusal: "reset-rate-limited",
  },
  "coupon-account": {
    maxAttempts: 30,
    windowSeconds: 10 * MINUTES,
    perAddress: false,
    refusal: "coupon-tries-exceeded",
  },
  "coupon-address": {
    maxAttempts: 100,
    windowSeconds: 10 * MINUTES,
    perAddress: true,
    refusal: "coupon-tries-exceeded",
  },
  "coupon-address-signed-in": {
    maxAttempts: 300,
    windowSeconds: 10 * MINUTES,
    perAddress: true,
    refusal: "coupon-tries-exceeded",
  },
  "redemption-device": {
    maxAttempts: 60,
    windowSeconds: 10 * MINUTES,
    perAddress: false,
    refusal: "redemptions-too-fast",
  },
  /** All devices of an account together. The popup asks once when it opens, and once when a pass ends. */
  "status-account": {
    maxAttempts: 60,
    windowSeconds: 1 * MINUTES,
    perAddress: false,
    perProcess: true,
    refusal: "status-requests-too-fast",
  },
  "rename-account": {
    maxAttempts: 30,
    windowSeconds: 1 * HOURS,
    perAddress: false,
    refusal: "renames-too-fast",
  },
  "connection-address": {
    maxAttempts: 100,
    windowSeconds: 10 * MINUTES,
    perAddress: true,
    refusal: "redemptions-too-fast",
  },
  /** Access codes, emails and passwords together. */
  "reveal-account": {
    maxAttempts: 60,
    windowSeconds: 10 * MINUTES,
    perAddress: false,
    refusal: "reveals-too-fast",
  },
  "report-account": {
    maxAttempts: 60,
    windowSeconds: 1 * HOURS,
    perAddress: false,
    refusal: "reports-too-fast",
  },
  "stock-alert-account": {
    maxAttempts: 60,
    windowSeconds: 1 * HOURS,
    perAddress: false,
    refusal: "stock-alerts-too-fast",
  },
  /** Claims of the daily giveaway. */
  "giveaway-account": {
    maxAttempts: 20,
    windowSeconds: 10 * MINUTES,
    perAddress: false,
    refusal: "claims-too-fast",
  },
  /** A run of the sign-in diagnostics makes three requests. Any of these requests may make the shop call the provider. */
  "diagnostics-address": {
    maxAttempts: 90,
    windowSeconds: 10 * MINUTES,
    perAddress: true,
    perProcess: true,
    refusal: "diagnostics-too-fast",
  },
};
