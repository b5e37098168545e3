import { fingerprintOf } from "../fingerprint.ts";

const LENGTH = 16;

/**
 * A short text that changes whenever another secret takes the place of this one: another row, or another value in it. It
 * says nothing about the secret, so a page may hold it.
 */
export function secretVersion(row: { id: string; changedAt: Date }): string {
  return fingerprintOf({ id: row.id, changedAt: row.changedAt.toISOString() }).slice(0, LENGTH);
}
