import { networkOf } from "#core/network.ts";

export interface SharedLimit {
  /** @returns to be called once when the address leaves; null when there is no place for it */
  enter(address: string): (() => void) | null;
}

/**
 * Counts what is there at the same time, in all and of each address, so that one address cannot take every place.
 *
 * @param options.perAddressFactor scales the limit of an address; 0 turns it off
 */
export function createSharedLimit(options: {
  most: number;
  mostPerAddress: number;
  perAddressFactor: number;
}): SharedLimit {
  const { most, mostPerAddress, perAddressFactor } = options;
  const share = perAddressFactor === 0 ? most : Math.max(1, Math.round(mostPerAddress * perAddressFactor));
  const counts = new Map<string, number>();
  let total = 0;
  return {
    enter(address) {
      const client = networkOf(address);
      const own = counts.get(client) ?? 0;
      if (total >= most || own >= share) return null;
      counts.set(client, own + 1);
      total++;
      return () => {
        total--;
        const rest = (counts.get(client) ?? 1) - 1;
        if (rest === 0) counts.delete(client);
        else counts.set(client, rest);
      };
    },
  };
}
