import { randomUUID } from "node:crypto";
import pg from "pg";
import { migrateDatabase } from "#db/migrate.ts";

/** A database that belongs to one suite or run. */
export interface OwnDatabase {
  url: string;
  drop: () => Promise<void>;
}

const OBJECT_IN_USE = "55006";
/** Postgres itself connects for a moment, to clean up. The role of the tests may not end that connection. */
const INSUFFICIENT_PRIVILEGE = "42501";
const COPY_TIMEOUT_MS = 20_000;
const DROP_TIMEOUT_MS = 3_000;

/** Creates the migrated database that others are copied from. Resolves to its name. */
export async function makeTemplate(serverUrl: string): Promise<string> {
  const name = `template_${randomUUID().replaceAll("-", "")}`;
  await withClient(serverUrl, (client) => client.query(`create database ${name}`));
  await migrateDatabase(replaceDatabase(serverUrl, name));
  return name;
}

/**
 * Copies a database. Postgres refuses that while somebody is connected to the source, so it is retried for 20 seconds.
 */
export async function copyDatabase(serverUrl: string, template: string): Promise<OwnDatabase> {
  const name = `suite_${randomUUID().replaceAll("-", "")}`;
  await withClient(serverUrl, (client) =>
    retryWhileInUse(client, `create database ${name} template ${template}`, Date.now() + COPY_TIMEOUT_MS),
  );
  return { url: replaceDatabase(serverUrl, name), drop: () => dropDatabase(serverUrl, name) };
}

/**
 * Drops a database. It waits 3 seconds for connections that are being closed, because ending them causes an error in
 * the process that closes them. Then it ends those that are left.
 */
export async function dropDatabase(serverUrl: string, name: string): Promise<void> {
  await withClient(serverUrl, async (client) => {
    const drop = `drop database if exists ${name}`;
    try {
      await retryWhileInUse(client, drop, Date.now() + DROP_TIMEOUT_MS);
    } catch (error) {
      if (!isInUse(error)) throw error;
      await retryWhileInUse(client, `${drop} with (force)`, Date.now() + DROP_TIMEOUT_MS);
    }
  });
}

/** Retries a statement while Postgres refuses it because somebody is connected. */
async function retryWhileInUse(client: pg.Client, statement: string, until: number): Promise<void> {
  for (;;) {
    try {
      await client.query(statement);
      return;
    } catch (error) {
      if (!isInUse(error) || Date.now() > until) throw error;
      await client.query("select pg_sleep(0.05)");
    }
  }
}

function isInUse(error: unknown): boolean {
  if (!(error instanceof pg.DatabaseError)) return false;
  return error.code === OBJECT_IN_USE || error.code === INSUFFICIENT_PRIVILEGE;
}

async function withClient<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url, application_name: "tests" });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

function replaceDatabase(url: string, name: string): string {
  const changed = new URL(url);
  changed.pathname = `/${name}`;
  return changed.href;
}
