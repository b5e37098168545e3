/** Where a sealed value stands; bound into it, so that a sealed value moved elsewhere does not open. */
export interface SealedPlace {
  table: string;
  rowId: string;
  column: string;
}

/** Sealing of secrets at rest (AES-256-GCM, random nonce, key id in the blob). */
export interface Cipher {
  seal(plain: string, place: SealedPlace): string;
  /** @throws Error when the blob was changed, moved, or sealed with a key we do not have */
  open(sealed: string, place: SealedPlace): string;
  /** Keyed hash (hex) for finding a secret by its value. Case and outer spaces count. */
  lookupHash(plain: string): string;
}
