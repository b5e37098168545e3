import { eq, inArray, isNull } from "drizzle-orm";
import type { Executor } from "#db/database.ts";
import { tools } from "#db/tables/catalog.ts";
import { settings } from "#db/tables/operations.ts";
import { accessCodes } from "#db/tables/vault.ts";

/** @returns false when the setting exists; its value is then unchanged */
export async function insertSettingOnce(executor: Executor, key: string, value: unknown): Promise<boolean> {
  const inserted = await executor
    .insert(settings)
    .values({ key, value })
    .onConflictDoNothing()
    .returning({ key: settings.key });
  return inserted.length > 0;
}

/** Whether the shop has a tool that is not deleted, on sale or not. */
export async function hasTool(executor: Executor): Promise<boolean> {
  const rows = await executor.select({ id: tools.id }).from(tools).where(isNull(tools.deletedAt)).limit(1);
  return rows.length > 0;
}

export async function hasActiveAccessCode(executor: Executor): Promise<boolean> {
  const { id, isActive } = accessCodes;
  const rows = await executor.select({ id }).from(accessCodes).where(eq(isActive, true)).limit(1);
  return rows.length > 0;
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
