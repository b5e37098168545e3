import { uuidv7 } from "uuidv7";
import type { Cipher } from "./cipher.ts";
import { makeSessionCode } from "./session-code.ts";

interface PlainAccessCode {
  simpleCode: string;
  /** Absent: one is made from the tool's name. */
  sessionCode?: string | undefined;
  toolName: string;
}

/** The key and the encrypted columns of a new row of `access_codes`. */
export function sealAccessCode(cipher: Cipher, plain: PlainAccessCode, now: Date) {
  const id = uuidv7();
  const { simpleCode, sessionCode = makeSessionCode(plain.toolName, now) } = plain;
  const place = (column: string) => ({ table: "access_codes", rowId: id, column });
  return {
    id,
    simpleCodeSealed: cipher.seal(simpleCode, place("simple_code_sealed")),
    simpleCodeHash: cipher.lookupHash(simpleCode),
    sessionCodeSealed: cipher.seal(sessionCode, place("session_code_sealed")),
    sessionCodeHash: cipher.lookupHash(sessionCode),
  };
}
