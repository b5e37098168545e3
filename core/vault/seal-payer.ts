import { z } from "zod";
import type { Cipher } from "../ports.ts";
import { DAY } from "../time.ts";
import { normaliseEmail, normaliseReference, searchKey } from "../typed-text.ts";
import type { Payer } from "./payer.ts";

/** As long as a bank may still ask about a payment. */
const PAYERS_KEPT_MS = 180 * DAY;

/** Payers of payments from before this moment are not kept. */
export const payersKeptSince = (now: Date) => new Date(now.getTime() - PAYERS_KEPT_MS);

export const NO_PAYER = { payerSealed: null, payerHashes: [] };

const text = z.string().nullable();
const payerSchema = z.object({
  email: text,
  phone: text,
  vpa: text,
  rrn: text,
  upiTransactionId: text,
  bankTransactionId: text,
}) satisfies z.ZodType<Payer>;

type PayerTable = "payment_attempts" | "unknown_payments";

const placeOf = (table: PayerTable, rowId: string) => ({ table, rowId, column: "payer_sealed" });

/** The payer of the row `id`, sealed with the newest key. */
export function sealPayer(cipher: Cipher, table: PayerTable, id: string, payer: Payer): string {
  return cipher.seal(JSON.stringify(payerSchema.parse(payer)), placeOf(table, id));
}

/** The payer of the row `id`. @throws Error when the value was changed, moved, or sealed with an unknown key */
export function openPayer(cipher: Cipher, table: PayerTable, id: string, sealed: string): Payer {
  return payerSchema.parse(JSON.parse(cipher.open(sealed, placeOf(table, id))));
}

/** The columns of a payer, for a new row or when the payer has something that the `known` hashes lack; else undefined. */
export function payerColumnsOf(
  cipher: Cipher,
  row: { table: PayerTable; id: string; known: readonly string[] | null },
  payer: Payer,
): { payerSealed: string | null; payerHashes: string[] } | undefined {
  const payerHashes = hashesOf(cipher, keysOf(payer));
  const { known } = row;
  // The older one of two responses may be recorded later, and says less.
  if (known && payerHashes.every((hash) => known.includes(hash))) return undefined;
  if (payerHashes.length === 0) return NO_PAYER;
  return { payerSealed: sealPayer(cipher, row.table, row.id, payer), payerHashes };
}

/** The keyed hashes by which a searched text finds payers: a phone number, UTR, UPI address or e-mail address. */
export function searchedPayerHashes(cipher: Cipher, q: string): string[] {
  const compact = q.replace(/[\s()-]/g, "");
  const reference = normaliseReference(q);
  const isPhone = /^(?:\+\d{1,3}|91|0)?\d{10}$/.test(compact);
  return hashesOf(cipher, [
    ...(isPhone ? phoneKey(compact) : []),
    ...(/^[A-Z\d]{6,35}$/.test(reference) ? referenceKey(reference) : []),
    ...(q.includes("@") ? [...vpaKey(q), ...emailKey(q)] : []),
  ]);
}

/** Half of each hash is enough to find a row by it. */
const HASH_CHARACTERS = 32;

/** Each key begins with its kind, so that no number of one kind finds one of another. */
const hashesOf = (cipher: Cipher, keys: readonly string[]) =>
  [...new Set(keys)].map((key) => cipher.lookupHash(`payer ${key}`).slice(0, HASH_CHARACTERS)).sort();

const phoneKey = (phone: string) => {
  const digits = phone.replace(/\D/g, "").slice(-10);
  return digits.length === 10 ? [`phone ${digits}`] : [];
};
const referenceKey = (reference: string) => [`utr ${reference.replace(/[\s-]/g, "").toUpperCase()}`];
const vpaKey = (vpa: string) => [`vpa ${searchKey(vpa)}`];
const emailKey = (email: string) => [`email ${normaliseEmail(email)}`];

function keysOf({ email, phone, vpa, rrn, upiTransactionId, bankTransactionId }: Payer): string[] {
  const references = [rrn, upiTransactionId, bankTransactionId].flatMap((one) => one ?? []);
  return [
    ...(email ? emailKey(email) : []),
    ...(phone ? phoneKey(phone) : []),
    ...(vpa ? vpaKey(vpa) : []),
    ...references.flatMap(referenceKey),
  ];
}

/** What an admin sees of a payer: each value with its last four characters, as "UTR …0934". */
export function shortenPayer(payer: Payer): string[] {
  const { email, phone, vpa, rrn, upiTransactionId, bankTransactionId } = payer;
  const named = [
    ["UTR", rrn ?? bankTransactionId ?? upiTransactionId],
    ["phone", phone],
    ["UPI", vpa],
    ["e-mail", email],
  ] as const;
  return named.flatMap(([name, value]) => (value ? [`${name} ${lastFour(value)}`] : []));
}

/** The last four characters; of an address those before the "@", and its host. A short value is not shown. */
function lastFour(value: string): string {
  const [name = "", host] = value.trim().split("@");
  const end = [...name].length > 4 ? [...name].slice(-4).join("") : "";
  return `…${end}${host === undefined ? "" : `@${host}`}`;
}
