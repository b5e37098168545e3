import { sql } from "drizzle-orm";
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

export async function settingExists(executor: Executor, key: string): Promise<boolean> {
  return (await executor.$count(settings, sql`${settings.key} = ${key}`)) > 0;
}
