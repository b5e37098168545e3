import { inject } from "vitest";
import { copyDatabase, type OwnDatabase } from "./template-database.ts";

/**
 * Creates a migrated, empty database for one suite, on a real Postgres. The suite drops it at its end:
 * `const database = await freshDatabase(); afterAll(() => database.drop());`
 */
export function freshDatabase(): Promise<OwnDatabase> {
  const { serverUrl, template } = inject("postgres");
  return copyDatabase(serverUrl, template);
}

/** The same without any table, for a test of a migration. */
export function emptyDatabase(): Promise<OwnDatabase> {
  return copyDatabase(inject("postgres").serverUrl, "template0");
}
