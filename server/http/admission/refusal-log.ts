import type { Log } from "#core/context.ts";

const EVERY_MS = 60_000;
/** Addresses that are counted one by one within a minute; further ones are counted together. */
const MAX_ADDRESSES = 1_000;

export interface RefusalLog {
  /** Counts a refused request. `reason` is one of a few fixed texts. */
  count(reason: string, address: string): void;
  /** Logs the counts so far. */
  flush(): void;
}

/**
 * Logs refused requests once a minute: one line for each address and reason, with a count. A client that is refused a
 * thousand times a second must not fill the disk.
 */
export function createRefusalLog(log: Log): RefusalLog {
  const counts = new Map<string, { reason: string; address: string; count: number }>();
  let timer: NodeJS.Timeout | undefined;

  const countOne = (reason: string, address: string): void => {
    const key = `${reason} ${address}`;
    const counted = counts.get(key);
    if (counted) counted.count++;
    else if (counts.size >= MAX_ADDRESSES && address !== "others") countOne(reason, "others");
    else counts.set(key, { reason, address, count: 1 });
  };
  const flush = () => {
    clearTimeout(timer);
    timer = undefined;
    for (const counted of counts.values()) log.warn(counted, "requests refused in the last minute");
    counts.clear();
  };

  return {
    count(reason, address) {
      countOne(reason, address);
      timer ??= setTimeout(flush, EVERY_MS).unref();
    },
    flush,
  };
}
