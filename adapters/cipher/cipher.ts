import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from "node:crypto";
import type { Cipher, SealedPlace } from "#core/ports.ts";

const ALGORITHM = "aes-256-gcm";
const VERSION = "v1";
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/**
 * AES-256-GCM with a random nonce for each value. The format of a sealed value is
 * `v1.<key id>.<nonce>.<ciphertext and tag>`, the last two in base64url. Its place is authenticated data (AAD).
 *
 * @param reload reads the keys again, so that a running shop follows a rotation. It is called before each seal, so that
 *   nothing is sealed with a key that is about to be removed, and when a value has an unknown key.
 */
export function createCipher({ keys: firstKeys, lookupKey }: VaultKeys, reload?: () => VaultKeys): Cipher {
  let keys = firstKeys;
  const refresh = () => {
    if (reload !== undefined) keys = reload().keys;
  };
  const sealingKey = () => {
    refresh();
    const [first] = keys;
    if (first === undefined) throw new Error("A cipher needs at least one key.");
    return first;
  };
  const keyOf = (id: string) => keys.find((key) => key.id === id)?.key;
  const hashKey = Buffer.from(hkdfSync("sha256", lookupKey, "", "daypass lookup hash v1", 32));

  return {
    seal(plain, place) {
      const sealing = sealingKey();
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv(ALGORITHM, sealing.key, nonce, { authTagLength: TAG_BYTES });
      cipher.setAAD(placeBytes(place));
      const sealed = Buffer.concat([cipher.update(plain, "utf8"), cipher.final(), cipher.getAuthTag()]);
      return [VERSION, sealing.id, nonce.toString("base64url"), sealed.toString("base64url")].join(".");
    },
    open(sealed, place) {
      const { keyId, nonce, body, tag } = parseSealed(sealed, place);
      if (keyOf(keyId) === undefined) refresh();
      const key = keyOf(keyId);
      if (key === undefined)
        throw new Error(
          `${nameOf(place)} is sealed with the key "${keyId}", which is not among the keys of this shop.`,
        );
      const decipher = createDecipheriv(ALGORITHM, key, nonce, { authTagLength: TAG_BYTES });
      decipher.setAAD(placeBytes(place));
      decipher.setAuthTag(tag);
      try {
        return Buffer.concat([decipher.update(body), decipher.final()]).toString("utf8");
      } catch (error) {
        throw new Error(`${nameOf(place)} was changed or moved since it was sealed.`, { cause: error });
      }
    },
    newestPrefix: () => `${VERSION}.${sealingKey().id}.`,
    lookupHash: (plain) => createHmac("sha256", hashKey).update(plain, "utf8").digest("hex"),
  };
}

function parseSealed(sealed: string, place: SealedPlace) {
  const [version, keyId, nonceText, bodyText, ...rest] = sealed.split(".");
  const nonce = Buffer.from(nonceText ?? "", "base64url");
  const bytes = Buffer.from(bodyText ?? "", "base64url");
  const isWellFormed = version === VERSION && keyId !== undefined && rest.length === 0;
  if (!isWellFormed || nonce.length !== NONCE_BYTES || bytes.length < TAG_BYTES) {
    throw new Error(`${nameOf(place)} is not a sealed value.`);
  }
  return { keyId, nonce, body: bytes.subarray(0, -TAG_BYTES), tag: bytes.subarray(-TAG_BYTES) };
}

const placeBytes = ({ table, rowId, column }: SealedPlace) =>
  Buffer.from(`${table}|${rowId}|${column}`, "utf8");

const nameOf = ({ table, rowId, column }: SealedPlace) => `${table}.${column} of row ${rowId}`;

/** A key of 32 bytes. Sealed values contain its id. */
interface VaultKey {
  id: string;
  key: Buffer;
}

/** The first of `keys` seals and all of them open. `lookupKey` makes the keyed hashes. */
export interface VaultKeys {
  keys: VaultKey[];
  lookupKey: Buffer;
}

/**
 * A key is missing, malformed or not the key that sealed the data. The message is one sentence without the
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
export function parseVaultKeys(entries: readonly string[], source: string): VaultKeys {
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
