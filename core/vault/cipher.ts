/**
 * The column and row that hold a sealed value. They are authenticated with it, so a sealed value that was copied to
 * another row or column cannot be opened.
 */
export interface SealedPlace {
  table: string;
  rowId: string;
  column: string;
}

/** Encrypts secrets at rest (AES-256-GCM, random nonce, key id in the blob). */
export interface Cipher {
  seal(plain: string, place: SealedPlace): string;
  /** @throws Error when the blob was changed, moved, or sealed with an unknown key */
  open(sealed: string, place: SealedPlace): string;
  /** How every value begins that is sealed with the newest key. */
  newestPrefix(): string;
  /** Keyed hash (hex) for finding a secret by its value. Case and outer spaces count. */
  lookupHash(plain: string): string;
}
