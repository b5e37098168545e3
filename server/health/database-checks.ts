import { eq, sql } from "drizzle-orm";
import { z } from "zod";
import { KeyError } from "#adapters/cipher/cipher.ts";
import { keyFolder, parseKeyTexts, readKeyTexts } from "#adapters/cipher/key-file.ts";
import {
  explainWrongKeys,
  FINGERPRINTS_SETTING,
  keyFingerprints,
} from "#adapters/cipher/key-fingerprints.ts";
import { failed, type HealthCheck, ok, skipped, type Verdict, warning } from "#core/health/health-check.ts";
import { judgeClock, judgeLatency, judgePostgres } from "#core/health/rules.ts";
import type { Database } from "#db/database.ts";
import { readSchemaState } from "#db/migrate.ts";
import { settings } from "#db/tables/operations.ts";
import type { Env } from "../env.ts";
import { findDatabaseFault, READ_ONLY_DATABASE, WEAK_ROLE } from "../start/checks.ts";

/** What the shop needs of PostgreSQL. The first migration creates these extensions. */
const EXTENSIONS = ["btree_gist", "pg_trgm"];
const TIMES = 5;
/** The checks use few connections, because the shop needs connections too. Each query takes milliseconds. */
export const CONNECTIONS = 4;

/** The checks of the database that the shop uses, and of the keys. */
export function databaseChecks(env: Env, db: Database): HealthCheck[] {
  const isEmbedded = env.databaseUrl === undefined;
  return [
    {
      id: "database",
      run: async () => {
        const judge = ({ detail, remedy }: typeof READ_ONLY_DATABASE) => failed(detail, remedy);
        try {
          // As many at a time as all checks use, so that this one names a limit of connections.
          const [answer] = await Promise.all(
            Array.from({ length: CONNECTIONS }, () => db.execute(sql`show transaction_read_only`)),
          );
          if (answer?.rows[0]?.transaction_read_only === "on") return judge(READ_ONLY_DATABASE);
          // Without tables the first start makes them.
          const { rows } =
            await db.execute(sql`select coalesce(has_table_privilege(to_regclass('public.settings'), 'insert'),
            has_database_privilege(current_database(), 'create')) as may_write`);
          if (rows[0]?.may_write !== true) return judge(WEAK_ROLE);
        } catch (error) {
          const fault = findDatabaseFault(error);
          if (fault !== null) return judge(fault);
          throw error;
        }
        return ok(`${isEmbedded ? "The shop’s own database" : `The database at ${hostOf(env)}`} answers.`);
      },
    },
    { id: "postgres", needs: ["database"], run: () => checkPostgres(db, isEmbedded) },
    {
      id: "latency",
      needs: ["database"],
      run: async () => {
        const times: number[] = [];
        for (let at = 0; at < TIMES; at++) {
          const begin = performance.now();
          await db.execute(sql`select 1`);
          times.push(performance.now() - begin);
        }
        return judgeLatency(times);
      },
    },
    {
      id: "database-clock",
      needs: ["database"],
      run: async () => judgeClock(await readAhead(db), "database"),
    },
    { id: "schema", needs: ["postgres"], run: async () => judgeSchema(await readSchemaState(db)) },
    { id: "keys", needs: ["database"], run: () => checkKeys(env, db) },
  ];
}

const hostOf = ({ databaseUrl }: Env) =>
  databaseUrl === undefined ? "" : new URL(databaseUrl).host || "a local socket";

const postgresRows = z.tuple([z.object({ version: z.string(), extensions: z.array(z.string()) })]);

async function checkPostgres(db: Database, isEmbedded: boolean): Promise<Verdict> {
  // An extension that is installed on the server is created by the first start.
  const { rows } = await db.execute(sql`select current_setting('server_version') as version,
    array(select extname::text from pg_extension union select name::text from pg_available_extensions
      where to_regclass('drizzle.__drizzle_migrations') is null) as extensions`);
  const [{ version, extensions }] = postgresRows.parse(rows);
  const missing = EXTENSIONS.filter((name) => !extensions.includes(name));
  return judgePostgres(version, missing, isEmbedded);
}

const clockRows = z.tuple([z.object({ at: z.coerce.number() })]);

/** How far the clock of this machine is ahead of the database's, in milliseconds. */
async function readAhead(db: Database): Promise<number> {
  const begin = Date.now();
  const { rows } = await db.execute(sql`select extract(epoch from clock_timestamp()) * 1000 as at`);
  return (begin + Date.now()) / 2 - clockRows.parse(rows)[0].at;
}

function judgeSchema(state: Awaited<ReturnType<typeof readSchemaState>>): Verdict {
  switch (state) {
    case "current":
      return ok("The tables are those of this version of the shop.");
    case "empty":
      return failed(
        "The database has no tables: no shop has used it yet.",
        "Start the shop once:",
        "npm start",
      );
    case "behind":
      return failed(
        "The tables are those of an older version of the shop.",
        "Start this version, which updates them:",
        "npm start",
      );
    case "ahead":
      return warning(
        "A newer version of the shop has changed the tables. This version works with them if it is the one just before; older ones may not.",
        "Upgrade to the newer version again when what was wrong with it is mended:",
        "npm run upgrade",
      );
  }
}

/** Does not mend the rights of the files, and makes no keys. */
async function checkKeys(env: Env, db: Database): Promise<Verdict> {
  const folder = keyFolder(env.dataDir);
  const stored = await readFingerprints(db);
  const texts = await readKeyTexts(env, { mendsRights: false }).catch((error: unknown) => {
    if (error instanceof Error && "code" in error && error.code === "EACCES") return null;
    throw error;
  });
  // The check of the folders names the file.
  if (texts === null) return skipped("This user may not read the keys.");
  const { authSecret, vaultKeys } = texts;
  const remedy = `Put back the folder ${folder} of the shop, or set AUTH_SECRET and VAULT_KEYS to the old values. Only if they are lost for good:`;
  const command = "npm run keys:give-up";
  if (authSecret === undefined || vaultKeys === undefined) {
    if (stored === undefined) return ok("The first start makes the keys.");
    return failed(
      "The keys of this database are missing. Access codes and shared passwords cannot be read without them.",
      remedy,
      command,
    );
  }
  try {
    const problem = explainWrongKeys(stored, keyFingerprints(parseKeyTexts({ authSecret, vaultKeys })));
    // The text after the semicolon is a remedy; the report has its own.
    if (problem !== undefined) return failed(`${problem.split(";")[0]}.`, remedy, command);
  } catch (error) {
    if (!(error instanceof KeyError)) throw error;
    return failed(error.message, remedy, command);
  }
  return ok(stored === undefined ? "The keys are there." : "The keys are those of this database.");
}

async function readFingerprints(db: Database): Promise<unknown> {
  const { rows } = await db.execute(sql`select to_regclass('public.settings') is not null as exists`);
  if (rows[0]?.exists !== true) return undefined;
  const [row] = await db
    .select({ value: settings.value })
    .from(settings)
    .where(eq(settings.key, FINGERPRINTS_SETTING));
  return row?.value;
}
