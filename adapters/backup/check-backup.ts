import pg from "pg";
import { withClient } from "#db/database.ts";
import { BackupError, type BackupFile } from "./backup-file.ts";
import { loadBackup } from "./load-backup.ts";

/** The advisory lock of the check. The shop uses this number for nothing else. */
const CHECK_LOCK = 7_261_002;
const APPLICATION = "daypass backup check";
const INSUFFICIENT_PRIVILEGE = "42501";

/**
 * Restores a backup into a scratch database on the server of the shop, compares every row, and drops that database. Drops a
 * scratch database that a killed check has left first.
 *
 * @param databaseUrl the database of the shop, without a pooler
 * @throws BackupError when the backup is damaged, another check is running, or the role may not create databases
 */
export async function checkBackup(
  databaseUrl: string,
  backup: BackupFile,
  { signal }: { signal: AbortSignal },
): Promise<void> {
  await withClient(databaseUrl, APPLICATION, async (shop) => {
    const { rows } = await shop.query("select pg_try_advisory_lock($1) as locked", [CHECK_LOCK]);
    if (rows[0]?.locked !== true) throw new BackupError("Another backup of this shop is being checked.");
    const address = new URL(databaseUrl);
    // Postgres cuts names after 63 bytes.
    const name = `${decodeURIComponent(address.pathname.slice(1)).slice(0, 40)}_backup_check`;
    const drop = `drop database if exists ${pg.escapeIdentifier(name)} with (force)`;
    await shop.query(drop);
    await shop.query(`create database ${pg.escapeIdentifier(name)} template template0`).catch(explainRefusal);
    try {
      address.pathname = `/${encodeURIComponent(name)}`;
      await withClient(address.href, APPLICATION, (client) => loadBackup(client, backup, { signal }));
    } finally {
      await shop.query(drop);
    }
  });
}

function explainRefusal(error: unknown): never {
  if (!(error instanceof pg.DatabaseError) || error.code !== INSUFFICIENT_PRIVILEGE) throw error;
  throw new BackupError(
    "The backup was written but not checked: the role of DATABASE_URL may not create a database. Allow it with: alter role … createdb.",
    { cause: error },
  );
}
