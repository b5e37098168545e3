import { isDeepStrictEqual } from "node:util";

/**
 * The fields of `after` whose value differs from `before`, as details of an audit event. The order of keys inside a value
 * does not count.
 */
export function changedFields(
  before: Readonly<Record<string, unknown>>,
  after: Readonly<Record<string, unknown>>,
): { before: Record<string, unknown>; after: Record<string, unknown> } {
  const changed = Object.keys(after).filter((key) => !isDeepStrictEqual(before[key], after[key]));
  const pick = (record: Readonly<Record<string, unknown>>) =>
    Object.fromEntries(changed.map((key) => [key, record[key] ?? null]));
  return { before: pick(before), after: pick(after) };
}
