/** The rate limits that operations enforce; core/limits.ts has their sizes. */
export type LimitName =
  | "sign-in-account"
  | "sign-in-address"
  | "sign-up-address"
  | "reset-account"
  | "reset-address"
  | "coupon-account"
  | "coupon-address"
  | "coupon-address-signed-in";

export interface RateLimiter {
  /**
   * Counts one attempt of `key` against `limit`.
   *
   * @throws DomainError when the limit is exceeded: its code is the limit's `refusal`, details.retryAfterSeconds says when
   *   to try again
   */
  consume(limit: LimitName, key: string): Promise<void>;
  /** Undoes one `consume` of `key`, for an attempt that was not made. */
  undoConsume(limit: LimitName, key: string): Promise<void>;
  /** Sets the count of `key` to zero, after a success. */
  reset(limit: LimitName, key: string): Promise<void>;
}
