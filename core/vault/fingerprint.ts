import { createHash } from "node:crypto";

/**
 * A hash (hex) of a value that JSON can hold. Two values that differ only in the order of keys, or in keys without a
 * value, have the same one.
 */
export function fingerprintOf(value: unknown): string {
  const sorted = JSON.stringify(value, (_key, part: unknown) => {
    if (typeof part !== "object" || part === null || Array.isArray(part)) return part;
    return Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)));
  });
  return createHash("sha256")
    .update(sorted ?? "")
    .digest("hex");
}
