import { inject } from "vitest";
import { copyDatabase, type OwnDatabase } from "./template-database.ts";

/**
 * A new, migrated, empty database of the suite's own on a real Postgres. Drop it when the suite is done:
 * `const database = await freshDatabase(); afterAll(() => database.drop());`
 */
export function freshDatabase(): Promise<OwnDatabase> {
  const { serverUrl, template } = inject("postgres");
  return copyDatabase(serverUrl, template);
}
