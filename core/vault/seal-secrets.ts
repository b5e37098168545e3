import { randomBytes } from "node:crypto";
import { uuidv7 } from "uuidv7";
import { z } from "zod";
import type { Cipher } from "../ports.ts";
import { fingerprintOf } from "./fingerprint.ts";

interface PlainAccessCode {
  simpleCode: string;
  /** Absent: a session code is made from the tool's name. */
  sessionCode?: string | undefined;
  toolName: string;
}

/** The key and the encrypted columns of a new row of `access_codes`. */
export function sealAccessCode(cipher: Cipher, plain: PlainAccessCode, now: Date) {
  const id = uuidv7();
  const { simpleCode, sessionCode = makeSessionCode(plain.toolName, now) } = plain;
  return { id, ...sealCodesOfRow(cipher, id, { simpleCode, sessionCode }) };
}

/** The encrypted columns of the row `id` of `access_codes`. */
export function sealCodesOfRow(
  cipher: Cipher,
  id: string,
  codes: { simpleCode: string; sessionCode: string },
) {
  const { simpleCode, sessionCode } = codes;
  return {
    ...sealAccessCodeAgain(cipher, id, codes),
    ...hashSimpleCode(cipher, simpleCode),
    sessionCodeHash: cipher.lookupHash(sessionCode),
  };
}

/** The hashes by which a simple code is found: as it is typed, and in any case. */
export interface SimpleCodeHashes {
  simpleCodeHash: string;
  simpleCodeKey: string;
}

export const hashSimpleCode = (cipher: Cipher, simpleCode: string): SimpleCodeHashes => ({
  simpleCodeHash: cipher.lookupHash(simpleCode),
  simpleCodeKey: cipher.lookupHash(foldSimpleCode(simpleCode)),
});

/** Simple codes that differ only in case are one code. */
export const foldSimpleCode = (simpleCode: string): string => simpleCode.toUpperCase();

/** Finds rows by their simple code: the row that has it as it is typed, otherwise a row that differs only in case. */
export function bySimpleCode<Row extends { simpleCodeHash: string; simpleCodeKey: string | null }>(
  cipher: Cipher,
  rows: readonly Row[],
): (simpleCode: string) => Row | undefined {
  const byKey = new Map(rows.map((row) => [row.simpleCodeKey, row]));
  const byHash = new Map(rows.map((row) => [row.simpleCodeHash, row]));
  return (simpleCode) => {
    const { simpleCodeHash, simpleCodeKey } = hashSimpleCode(cipher, simpleCode);
    return byHash.get(simpleCodeHash) ?? byKey.get(simpleCodeKey);
  };
}

/** The same codes of a row, sealed with the newest key. Their hashes stay. */
export function sealAccessCodeAgain(
  cipher: Cipher,
  id: string,
  codes: { simpleCode: string; sessionCode: string },
) {
  return {
    simpleCodeSealed: cipher.seal(codes.simpleCode, placeOfCode(id, "simple_code_sealed")),
    sessionCodeSealed: cipher.seal(codes.sessionCode, placeOfCode(id, "session_code_sealed")),
  };
}

/**
 * A new session code: the tool's name, the time in epoch milliseconds and 128 random bits in hex, joined by hyphens.
 * Only the random part keeps it from being guessed.
 */
export function makeSessionCode(toolName: string, now: Date): string {
  const name = toolName
    .trim()
    .replace(/[^\p{L}\p{M}\p{N}]+/gu, "-")
    .replace(/^-+|-+$/g, "");
  return [name || "tool", now.getTime(), randomBytes(16).toString("hex")].join("-");
}

/** The simple code of a row in plain text. The caller audits the reveal. */
export function openSimpleCode(cipher: Cipher, row: { id: string; simpleCodeSealed: string }): string {
  return cipher.open(row.simpleCodeSealed, placeOfCode(row.id, "simple_code_sealed"));
}

/** Both codes of a row in plain text. The caller audits the reveal. */
export function openAccessCode(
  cipher: Cipher,
  row: { id: string; simpleCodeSealed: string; sessionCodeSealed: string },
): { simpleCode: string; sessionCode: string } {
  return {
    simpleCode: openSimpleCode(cipher, row),
    sessionCode: cipher.open(row.sessionCodeSealed, placeOfCode(row.id, "session_code_sealed")),
  };
}

const placeOfCode = (rowId: string, column: string) => ({ table: "access_codes", rowId, column });

/** The encrypted password of the row `id` of `credentials`. */
export function sealPassword(cipher: Cipher, id: string, password: string): string {
  return cipher.seal(password, placeOfPassword(id));
}

/** The password in plain text. The caller audits the reveal. */
export function openPassword(cipher: Cipher, row: { id: string; passwordSealed: string }): string {
  return cipher.open(row.passwordSealed, placeOfPassword(row.id));
}

const placeOfPassword = (rowId: string) => ({ table: "credentials", rowId, column: "password_sealed" });

/**
 * The sealed document of the row `id` of `imported_documents` with passwords or codes. The caller stores it under the
 * edit lock, because `retireVaultKeys` waits for that.
 */
export function sealImportedDocument(
  cipher: Cipher,
  id: string,
  document: Readonly<Record<string, unknown>>,
): string {
  return cipher.seal(JSON.stringify(document), placeOfDocument(id));
}

/** The document in plain text. The caller audits the reveal. */
export function openImportedDocument(
  cipher: Cipher,
  row: { id: string; documentSealed: string },
): Record<string, unknown> {
  return documentSchema.parse(JSON.parse(cipher.open(row.documentSealed, placeOfDocument(row.id))));
}

const documentSchema = z.record(z.string(), z.unknown());

const placeOfDocument = (rowId: string) => ({
  table: "imported_documents",
  rowId,
  column: "document_sealed",
});

const VERSION_LENGTH = 16;

/**
 * A short text that changes whenever another secret takes the place of this one: another row, or another value in it. It
 * says nothing about the secret, so a page may hold it.
 */
export function secretVersion(row: { id: string; changedAt: Date }): string {
  return fingerprintOf({ id: row.id, changedAt: row.changedAt.toISOString() }).slice(0, VERSION_LENGTH);
}
