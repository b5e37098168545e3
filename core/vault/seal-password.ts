import type { Cipher } from "./cipher.ts";

const placeOf = (rowId: string) => ({ table: "credentials", rowId, column: "password_sealed" });

/** The encrypted password of the row `id` of `credentials`. */
export function sealPassword(cipher: Cipher, id: string, password: string): string {
  return cipher.seal(password, placeOf(id));
}

/** The password in plain text. The caller audits the reveal. */
export function openPassword(cipher: Cipher, row: { id: string; passwordSealed: string }): string {
  return cipher.open(row.passwordSealed, placeOf(row.id));
}
