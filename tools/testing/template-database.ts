import { randomUUID } from "node:crypto";
import pg from "pg";
import { migrateDatabase } from "#db/migrate.ts";

/** A database of its own, on the server of `url`. */
export interface OwnDatabase {
  url: string;
  drop: () => Promise<void>;
}

const OBJECT_IN_USE = "55006";
/** The server itself is in there for a moment, cleaning up. */
const NOT_OURS_TO_END = "42501";
const PATIENCE_MS = 20_000;
const CLOSING_MS = 3_000;

/** Makes the migrated database that others are copied from, and resolves to its name. */
export async function makeTemplate(serverUrl: string): Promise<string> {
  const name = `template_${randomUUID().replaceAll("-", "")}`;
  await onServer(serverUrl, (client) => client.query(`create database ${name}`));
  await migrateDatabase(withDatabase(serverUrl, name));
  return name;
}

/** Copies a database. Postgres refuses that while anyone is connected to the source, so it is tried again until free. */
export async function copyDatabase(serverUrl: string, template: string): Promise<OwnDatabase> {
  const name = `suite_${randomUUID().replaceAll("-", "")}`;
  await onServer(serverUrl, (client) =>
    onceFree(client, `create database ${name} template ${template}`, Date.now() + PATIENCE_MS),
  );
  return { url: withDatabase(serverUrl, name), drop: () => dropDatabase(serverUrl, name) };
}

/**
 * Drops a database. Connections that are just being closed are waited for: cutting them off is an error in the process
 * that is closing them. One that stays is cut off.
 */
export async function dropDatabase(serverUrl: string, name: string): Promise<void> {
  await onServer(serverUrl, async (client) => {
    const drop = `drop database if exists ${name}`;
    try {
      await onceFree(client, drop, Date.now() + CLOSING_MS);
    } catch (error) {
      if (!isInUse(error)) throw error;
      await onceFree(client, `${drop} with (force)`, Date.now() + CLOSING_MS);
    }
  });
}

/** Tries a statement again for as long as Postgres refuses it because somebody is connected. */
async function onceFree(client: pg.Client, statement: string, until: number): Promise<void> {
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
  return error.code === OBJECT_IN_USE || error.code === NOT_OURS_TO_END;
}

async function onServer<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url, application_name: "tests" });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

function withDatabase(url: string, name: string): string {
  const changed = new URL(url);
  changed.pathname = `/${name}`;
  return changed.href;
}
