/** A key of 32 bytes under the id that sealed values carry. */
export interface VaultKey {
  id: string;
  key: Buffer;
}

/** `keys`: the first seals, all open. `lookupKey`: what the keyed hashes are made with. */
export interface Vault {
  keys: VaultKey[];
  lookupKey: Buffer;
}

/** A key is missing, unreadable or not the one this shop's data needs. The message is one sentence without any key. */
export class KeyError extends Error {
  override readonly name = "KeyError";
}

const ENTRY = /^([A-Za-z0-9][A-Za-z0-9_-]{0,31}):([A-Za-z0-9+/_-]{43}=?)$/;
const LOOKUP_ID = "lookup";

/**
 * Reads entries `id:base64 of 32 bytes`, newest first. The entry `lookup` makes the keyed hashes; without one the oldest
 * key does, so that adding a key changes no hash. To drop the oldest key and keep its hashes, list it again as `lookup`.
 *
 * @param source the variable or file the entries come from, for the message
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
