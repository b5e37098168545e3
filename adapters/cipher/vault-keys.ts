/** A key of 32 bytes. Sealed values contain its id. */
export interface VaultKey {
  id: string;
  key: Buffer;
}

/** The first of `keys` seals and all of them open. `lookupKey` makes the keyed hashes. */
export interface Vault {
  keys: VaultKey[];
  lookupKey: Buffer;
}

/**
 * A key is missing, malformed or not the one that the data was sealed with. The message is one sentence without the
 * key.
 */
export class KeyError extends Error {
  override readonly name = "KeyError";
}

const ENTRY = /^([A-Za-z0-9][A-Za-z0-9_-]{0,31}):([A-Za-z0-9+/_-]{43}=?)$/;
export const LOOKUP_ID = "lookup";

/**
 * Parses entries `id:base64 of 32 bytes`, newest first. The entry `lookup` makes the keyed hashes; without one the
 * oldest key does, so that a new key changes no hash. To remove the oldest key and keep its hashes, list it again as
 * `lookup`.
 *
 * @param source the variable or file of the entries, for the message
 * @throws KeyError
 */
export function parseVaultKeys(entries: readonly string[], source: string): Vault {
  const all = entries.map((entry, index) => parseEntry(entry, `Entry ${index + 1} of ${source}`));
  if (new Set(all.map(({ id }) => id)).size < all.length) {
    throw new KeyError(`${source} names the same key twice.`);
  }
  const keys = all.filter(({ id }) => id !== LOOKUP_ID);
  const lookup = all.find(({ id }) => id === LOOKUP_ID) ?? keys.at(-1);
  if (keys.length === 0 || lookup === undefined) {
    throw new KeyError(`${source} must hold at least one key, as a name, a colon and 32 bytes in base64.`);
  }
  return { keys, lookupKey: lookup.key };
}

function parseEntry(entry: string, where: string): VaultKey {
  const [, id, encoded] = ENTRY.exec(entry.trim()) ?? [];
  const key = Buffer.from(encoded ?? "", "base64");
  if (id === undefined || key.length !== 32) {
    throw new KeyError(`${where} must be a name, a colon and 32 bytes in base64.`);
  }
  return { id, key };
}
