import { inArray } from "drizzle-orm";
import type { Executor } from "#db/database.ts";
import { settings } from "#db/tables/operations.ts";

/** @returns false when the setting exists; its value is then unchanged */
export async function insertSettingOnce(executor: Executor, key: string, value: unknown): Promise<boolean> {
  const inserted = await executor
    .insert(settings)
    .values({ key, value })
    .onConflictDoNothing()
    .returning({ key: settings.key });
  return inserted.length > 0;
}

/** Those of the keys that have a setting. */
export async function selectSettingKeys(
  executor: Executor,
  keys: readonly string[],
): Promise<ReadonlySet<string>> {
  const rows = await executor
    .select({ key: settings.key })
    .from(settings)
    .where(inArray(settings.key, [...keys]));
  return new Set(rows.map(({ key }) => key));
}
