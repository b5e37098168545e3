import { randomUUID } from "node:crypto";
import pg from "pg";
import { migrateDatabase } from "#db/migrate.ts";

/** A database of its own, on the server of `url`. */
export interface OwnDatabase {
  url: string;
  drop: () => Promise<void>;
}

const OBJECT_IN_USE = "55006";
const PATIENCE_MS = 20_000;

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
  await onServer(serverUrl, (client) => createFrom(client, name, template, Date.now() + PATIENCE_MS));
  return { url: withDatabase(serverUrl, name), drop: () => dropDatabase(serverUrl, name) };
}

/** Drops a database even when something is still connected to it. */
export async function dropDatabase(serverUrl: string, name: string): Promise<void> {
  await onServer(serverUrl, (client) => client.query(`drop database if exists ${name} with (force)`));
}

async function createFrom(client: pg.Client, name: string, template: string, until: number): Promise<void> {
  for (;;) {
    try {
      await client.query(`create database ${name} template ${template}`);
      return;
    } catch (error) {
      const inUse = error instanceof pg.DatabaseError && error.code === OBJECT_IN_USE;
      if (!inUse || Date.now() > until) throw error;
      await client.query("select pg_sleep(0.05)");
    }
  }
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
