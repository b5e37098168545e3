import { createHash } from "node:crypto";
import type pg from "pg";
import {
  type IRateLimiterOptions,
  RateLimiterMemory,
  RateLimiterPostgres,
  RateLimiterRes,
} from "rate-limiter-flexible";
import { DomainError } from "#core/errors.ts";
import { limitKeyOfAddress, networksOfAddress } from "#core/rate-limits/network.ts";
import type { LimitKey, LimitName, RateLimiter } from "#core/rate-limits/rate-limits.ts";
import { LIMITS } from "#core/rate-limits/rate-limits.ts";

/** The keys of one limit that is counted in memory: about 5 MB. */
const MAX_KEYS_IN_MEMORY = 10_000;

export interface RateLimiterOptions {
  pool: pg.Pool;
  /** Scales every limit that counts per address; 0 turns them off. */
  perAddressFactor: number;
}

/**
 * Counts attempts in the table `rate_limits`, which all processes of a shop share. Each count is one atomic statement,
 * so parallel attempts cannot exceed a limit. Limits that are `perProcess` are counted in memory,
 * for a limited number of keys.
 */
export function createPostgresRateLimiter({ pool, perAddressFactor }: RateLimiterOptions): RateLimiter {
  const limiters = new Map<string, RateLimiterPostgres | BoundedMemoryLimiter>();
  let deletesExpired = false;

  function limiterFor(name: LimitName, times = 1): RateLimiterPostgres | BoundedMemoryLimiter | undefined {
    const { maxAttempts, windowSeconds, perAddress, perProcess = false } = LIMITS[name];
    if (perAddress && perAddressFactor === 0) return undefined;
    const known = limiters.get(`${name} ${times}`);
    if (known) return known;
    const limit = {
      keyPrefix: name,
      points: times * (perAddress ? Math.max(1, Math.round(maxAttempts * perAddressFactor)) : maxAttempts),
      duration: windowSeconds,
    };
    const limiter = perProcess
      ? new BoundedMemoryLimiter({ ...limit, maxKeys: MAX_KEYS_IN_MEMORY })
      : openTableLimiter(limit);
    limiters.set(`${name} ${times}`, limiter);
    return limiter;
  }

  function openTableLimiter(limit: { keyPrefix: string; points: number; duration: number }) {
    const limiter = new RateLimiterPostgres({
      storeClient: withoutNames(pool),
      storeType: "client",
      tableName: "rate_limits",
      tableCreated: true,
      // The first limiter deletes the expired rows of all.
      clearExpiredByTimeout: !deletesExpired,
      ...limit,
    });
    deletesExpired = true;
    return limiter;
  }

  async function undo(limit: LimitName, keys: readonly string[]): Promise<void> {
    if (!(limiterFor(limit) instanceof RateLimiterPostgres)) return;
    // The library's own way would begin a window below zero, which allows more than the limit. A statement for each key, because
    // two statements for all keys could wait for each other.
    for (const key of keys)
      await pool.query(
        "update rate_limits set points = points - 1 where key = $1 and points > 0 and expire > $2",
        [`${limit}:${key}`, Date.now()],
      );
  }

  return {
    async consume(limit, key) {
      const counted: string[] = [];
      try {
        // The narrowest network is first: a network that is above its limit uses up nothing of a wider one.
        for (const one of keysOf(limit, key)) {
          if (LIMITS[limit].perAddress) counted.push(one.key);
          await limiterFor(limit, one.times)?.consume(one.key);
        }
      } catch (error) {
        if (!(error instanceof RateLimiterRes)) throw error;
        await undo(limit, counted);
        const retryAfterSeconds = Math.max(1, Math.ceil(error.msBeforeNext / 1000));
        throw new DomainError(LIMITS[limit].refusal, { retryAfterSeconds });
      }
    },
    undoConsume: (limit, key) =>
      undo(
        limit,
        keysOf(limit, key).map((one) => one.key),
      ),
    async reset(limit, key) {
      // A success of one subscriber is none of the wider network.
      const [own] = keysOf(limit, key);
      await limiterFor(limit)?.delete(own.key);
    },
    async resetAccount(limit, account) {
      await pool.query("delete from rate_limits where starts_with(key, $1)", [
        `${limit}:${hashOf(account)}.`,
      ]);
    },
  };
}

/**
 * The library names its statements. A pooler that shares connections cannot have that.
 */
function withoutNames(pool: pg.Pool) {
  return { query: ({ text, values }: pg.QueryConfig) => pool.query({ text }, values) };
}

interface CountedKey {
  key: string;
  /** How many times the limit's attempts this key has. */
  times: number;
}

/**
 * The keys that an attempt counts for, the narrowest first. In memory it is the address alone, because such a limit is about the
 * cost of a request.
 */
function keysOf(limit: LimitName, key: LimitKey): [CountedKey, ...CountedKey[]] {
  if (typeof key === "object")
    return [{ key: `${hashOf(key.account)}.${hashOf(limitKeyOfAddress(key.from))}`, times: 1 }];
  const { perAddress, perProcess } = LIMITS[limit];
  if (!perAddress) return [{ key: hashOf(key), times: 1 }];
  const hashed = (one: CountedKey) => ({ ...one, key: hashOf(one.key) });
  const [own, ...wider] = networksOfAddress(key);
  return perProcess ? [hashed(own)] : [hashed(own), ...wider.map(hashed)];
}

/** Keys are typed by people: they have any length and must not be stored. */
function hashOf(text: string): string {
  return createHash("sha256").update(text).digest("base64url");
}

/**
 * Counts in memory, for a limited number of keys: a network may have any number of addresses. With more keys the key whose window
 * began first is counted anew, so that nobody is refused because of others. A count cannot be taken back.
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
