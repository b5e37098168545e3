import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from "node:crypto";
import type { Cipher, SealedPlace } from "#core/vault/cipher.ts";
import type { Vault } from "./vault-keys.ts";

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
export function createCipher({ keys: firstKeys, lookupKey }: Vault, reload?: () => Vault): Cipher {
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
