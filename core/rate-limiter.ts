/** The rate limits that operations enforce; core/limits.ts has their sizes. */
export type LimitName =
  | "sign-in-account"
  | "sign-in-account-at-address"
  | "sign-in-address"
  | "sign-in-known-browser"
  | "password-confirmation"
  | "password-change"
  | "name-account"
  | "sign-up-address"
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
  | "giveaway-account"
  | "diagnostics-address";

/** What a limit counts. `from` is the address of a browser, which stands for its network, or the id of a browser. */
export type LimitKey = string | { account: string; from: string };

export interface RateLimiter {
  /**
   * Counts one attempt of `key` against `limit`.
   *
   * @throws DomainError when the limit is exceeded: its code is the limit's `refusal`, details.retryAfterSeconds says when
   *   to try again
   */
  consume(limit: LimitName, key: LimitKey): Promise<void>;
  /** Undoes one `consume` of `key`, for an attempt that was not made. */
  undoConsume(limit: LimitName, key: LimitKey): Promise<void>;
  /** Sets the count of `key` to zero, after a success. */
  reset(limit: LimitName, key: LimitKey): Promise<void>;
  /** Sets the counts of an account to zero, wherever the attempts came from. */
  resetAccount(limit: LimitName, account: string): Promise<void>;
}
