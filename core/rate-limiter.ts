/** The limits of the shop: how often, per which key, in which window. Enforced inside verbs. */
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
   * Counts one try of `key` against `limit`.
   *
   * @throws DomainError with the limit's `refusal` as its code, and retryAfterSeconds, when used up
   */
  consume(limit: LimitName, key: string): Promise<void>;
  /** Takes one counted try of `key` back: nothing was tried after all. */
  giveBack(limit: LimitName, key: string): Promise<void>;
  /** Forgets the tries of `key`, after a success. */
  forgive(limit: LimitName, key: string): Promise<void>;
}
