import type { TestProject } from "vitest/node";
import { dropDatabase, makeTemplate } from "./template-database.ts";
import { startThrowawayPostgres, type TestServer } from "./throwaway-postgres.ts";

declare module "vitest" {
  export interface ProvidedContext {
    /** The server that all suites share, and the migrated database on it that each suite copies. */
    postgres: { serverUrl: string; template: string };
  }
}

/**
 * Provides one real Postgres for all suites: the server at TEST_DATABASE_URL, whose user must be able to create
 * databases, or the embedded one in a temporary folder.
 */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const given = process.env.TEST_DATABASE_URL;
  const server: TestServer = given
    ? { url: given, stop: () => Promise.resolve() }
    : await startThrowawayPostgres();
  try {
    const template = await makeTemplate(server.url);
    project.provide("postgres", { serverUrl: server.url, template });
    return async () => {
      await dropDatabase(server.url, template);
      await server.stop();
    };
  } catch (error) {
    await server.stop();
    throw error;
  }
}
