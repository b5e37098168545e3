import { isDeepStrictEqual } from "node:util";

/** The fields of a record that an edit changed, with their values before and after, as details of an audit event. */
export interface ChangedFields {
  before: Record<string, unknown>;
  after: Record<string, unknown>;
}

/** The fields of `after` whose value differs from `before`. The order of keys inside a value does not count. */
export function changedFields(
  before: Readonly<Record<string, unknown>>,
  after: Readonly<Record<string, unknown>>,
): ChangedFields {
  const changed = Object.keys(after).filter((key) => !isDeepStrictEqual(before[key], after[key]));
  const pick = (record: Readonly<Record<string, unknown>>) =>
    Object.fromEntries(changed.map((key) => [key, record[key] ?? null]));
  return { before: pick(before), after: pick(after) };
}
