import { limitKeyOfAddress } from "#core/network.ts";

export interface SharedLimit {
  /**
   * @param weight how much of the limit is used
   * @returns a function to call once to release it; null when the limit is reached
   */
  enter(address: string, weight?: number): (() => void) | null;
}

/**
 * Limits what is in use at the same time, in total and for each address, so that one address cannot use everything.
 *
 * @param options.perAddressFactor scales the limit of an address; 0 turns it off
 */
export function createSharedLimit(options: {
  most: number;
  mostPerAddress: number;
  perAddressFactor: number;
}): SharedLimit {
  const { most, mostPerAddress, perAddressFactor } = options;
  const share = shareOfAddress(most, mostPerAddress, perAddressFactor);
  const counts = new Map<string, number>();
  let total = 0;
  return {
    enter(address, weight = 1) {
      const client = limitKeyOfAddress(address);
      const own = counts.get(client) ?? 0;
      if (total + weight > most || own + weight > share) return null;
      counts.set(client, own + weight);
      total += weight;
      return () => {
        total -= weight;
        const rest = (counts.get(client) ?? weight) - weight;
        if (rest <= 0) counts.delete(client);
        else counts.set(client, rest);
      };
    },
  };
}

/** The part of `most` that one address may use: its own limit scaled by the factor, or all of it with the factor 0. */
export function shareOfAddress(most: number, mostPerAddress: number, perAddressFactor: number): number {
  return perAddressFactor === 0 ? most : Math.max(1, Math.round(mostPerAddress * perAddressFactor));
}
