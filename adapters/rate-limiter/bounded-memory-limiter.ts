import { type IRateLimiterOptions, RateLimiterMemory, type RateLimiterRes } from "rate-limiter-flexible";

/**
 * Counts in memory, for a limited number of keys: a network may have any number of addresses. With more keys the one whose
 * window began first is counted anew, so that nobody is refused because of others. A count cannot be taken
 * back: `reward` would count a key without a bound.
 */
export class BoundedMemoryLimiter extends RateLimiterMemory {
  readonly #maxKeys: number;
  /** In the order in which their windows began. Some may be over: there are never more than `maxKeys`. */
  readonly #keys = new Set<string>();

  constructor({ maxKeys, ...limit }: IRateLimiterOptions & { maxKeys: number }) {
    super(limit);
    this.#maxKeys = maxKeys;
  }

  override async consume(key: string): Promise<RateLimiterRes> {
    const result = await super.consume(key);
    if (result.isFirstInDuration) await this.#remember(key);
    return result;
  }

  override delete(key: string): Promise<boolean> {
    this.#keys.delete(key);
    return super.delete(key);
  }

  async #remember(key: string): Promise<void> {
    this.#keys.delete(key);
    this.#keys.add(key);
    const [oldest] = this.#keys;
    if (this.#keys.size > this.#maxKeys && oldest !== undefined) await this.delete(oldest);
  }
}
