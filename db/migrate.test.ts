import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { drizzle } from "drizzle-orm/node-postgres";
import { migrate } from "drizzle-orm/node-postgres/migrator";
import pg from "pg";
import { expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { emptyDatabase } from "../tools/testing/database.ts";
import { migrateDatabase } from "./migrate.ts";

const journalSchema = z.looseObject({ entries: z.array(z.looseObject({ tag: z.string() })) });

/** A connection to a new database with the migrations before this one. */
async function migrateUntil(tag: string): Promise<{ client: pg.Client; url: string }> {
  const database = await emptyDatabase();
  const folder = mkdtempSync(join(tmpdir(), "migrations-"));
  const client = new pg.Client({ connectionString: database.url });
  onTestFinished(async () => {
    await client.end();
    await database.drop();
    rmSync(folder, { recursive: true });
  });
  cpSync("db/migrations", folder, { recursive: true });
  const path = join(folder, "meta/_journal.json");
  const journal = journalSchema.parse(JSON.parse(readFileSync(path, "utf8")));
  const end = journal.entries.findIndex((entry) => entry.tag === tag);
  if (end < 0) throw new Error(`there is no migration ${tag}`);
  writeFileSync(path, JSON.stringify({ ...journal, entries: journal.entries.slice(0, end) }));
  await client.connect();
  await migrate(drizzle(client), { migrationsFolder: folder });
  return { client, url: database.url };
}

const idOf = (n: number) => `01980000-0000-7000-8000-00000000000${n}`;

test("0025: a server with codes for one buyer hands out one for each, the others stay as they are", async () => {
  const { client, url } = await migrateUntil("0025_servers-per-buyer");
  const server = (name: string) => ({ id: `id of ${name}`, name, url: null });
  const servers = [["Server 1", " server 2", "Other"].map(server), [server("Server 1")], []];
  for (const [n, list] of servers.entries())
    await client.query(
      "insert into tools (id, slug, name, description, price_paise, servers) values ($1, $2, $2, '', 100, $3)",
      [idOf(n), `tool-${n}`, JSON.stringify(list)],
    );
  for (const [at, code] of [
    { tool: 0, name: "SERVER 1 ", perBuyer: true, isActive: true },
    { tool: 0, name: "Server 2", perBuyer: true, isActive: false },
    { tool: 0, name: "Other", perBuyer: false, isActive: true },
    { tool: 1, name: "Server 1", perBuyer: false, isActive: true },
    { tool: 2, name: "Server 1", perBuyer: true, isActive: true },
  ].entries())
    await client.query(
      `insert into access_codes (id, tool_id, server_name, simple_code_sealed, simple_code_hash, session_code_sealed,
        session_code_hash, per_buyer, is_active) values (gen_random_uuid(), $1, $2, '', $3, '', $3, $4, $5)`,
      [idOf(code.tool), code.name, at, code.perBuyer, code.isActive],
    );
  await migrateDatabase(url);
  const { rows } = await client.query<{ servers: unknown }>("select servers from tools order by id");
  expect(rows.map((row) => row.servers)).toEqual([
    [{ ...server("Server 1"), perBuyer: true }, { ...server(" server 2"), perBuyer: true }, server("Other")],
    [server("Server 1")],
    [],
  ]);
});
