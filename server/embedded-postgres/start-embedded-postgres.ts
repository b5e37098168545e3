import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import pg from "pg";
import { findBinaries } from "./binaries.ts";
import { createCluster, findFreePort, readRecord, shopDatabaseUrl, writeRecord } from "./cluster.ts";
import { createLocalHome, locateCluster, stopOrphanedServer } from "./locate-cluster.ts";
import { acquireLockFile, dataDirInUse, findLockHolder } from "./lock-file.ts";
import { type Cluster, findPostmaster, startPostmaster, stopPostmaster } from "./postmaster.ts";
import { acquireSessionLock, disconnect, type SessionLock } from "./session-lock.ts";
import { DataDirInUseError, explainFailure, StartupError } from "./startup-error.ts";

export type EmbeddedPostgres = {
  /** Signs in as role daypass to database daypass, which the role owns. Stays the same until stop. */
  readonly url: string;
  /** The folder of the cluster. */
  readonly folder: string;
  /** Stops the database and releases DATA_DIR. May be called more than once, also during a restart. */
  readonly stop: () => Promise<void>;
  /** Stops the database, and deletes it when this start made it and it has no table. */
  readonly stopAndDiscard: () => Promise<void>;
  /** Renames the databases that other major versions of PostgreSQL made in this DATA_DIR. */
  readonly setOthersAside: () => Promise<void>;
};

export type EmbeddedPostgresOptions = {
  /** Created when it is missing. */
  readonly dataDir: string;
  readonly log: (line: string) => void;
  /** Called when the database ended and cannot be restarted. The error says why in one sentence. */
  readonly onFatal: (error: Error) => void;
  /** Makes a new database beside one of another major version, which a start otherwise refuses. */
  readonly allowsOtherMajor?: boolean;
};

// A shop that is being stopped, or whose npm was killed, has ended by then.
const STOPPING_MS = 3_000;

/**
 * Refuses a start early when a running shop uses this DATA_DIR. Changes nothing.
 *
 * @throws DataDirInUseError when that is still so after three seconds
 */
export async function refuseIfInUse(dataDir: string): Promise<void> {
  const deadline = Date.now() + STOPPING_MS;
  for (;;) {
    const holder = findLockHolder(join(dataDir, "pg"));
    if (holder === undefined) return;
    if (Date.now() > deadline) throw dataDirInUse(dataDir, holder.pid, holder.since);
    await delay(100);
  }
}

/**
 * Starts the PostgreSQL of DATA_DIR and keeps it running until stop. The first start creates the cluster. A start after a
 * crash recovers it.
 *
 * @throws StartupError one sentence for the person at the terminal; DataDirInUseError when another shop uses DATA_DIR
 */
export async function startEmbeddedPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  const dataDir = resolve(options.dataDir);
  let release: (() => void) | undefined;
  try {
    const holder = findLockHolder(join(dataDir, "pg"));
    if (holder !== undefined) throw dataDirInUse(dataDir, holder.pid, holder.since);
    const localHome = createLocalHome(dataDir);
    release = acquireLockFile(localHome, dataDir);
    return await startLocked(localHome, { ...options, dataDir }, release);
  } catch (error) {
    release?.();
    throw explainFailure(error, dataDir);
  }
}

async function startLocked(
  localHome: string,
  options: EmbeddedPostgresOptions,
  release: () => void,
): Promise<EmbeddedPostgres> {
  const { dataDir, log, onFatal } = options;
  const { allowsOtherMajor = false } = options;
  const packaged = findBinaries();
  const cluster = await locateCluster({ localHome, dataDir, packaged, allowsOtherMajor, log });
  const isNew = !existsSync(join(cluster.folder, "PG_VERSION"));
  if (isNew) await createCluster(cluster);
  cluster.markCreated();
  if (await stopOrphanedServer(cluster, dataDir))
    log("Stopped the database that a killed shop had left running.");

  const recorded = readRecord(cluster.folder);
  const record = { ...recorded, port: await findFreePort(recorded.port) };
  writeRecord(cluster, record);
  const isUp = () => findPostmaster(cluster.folder) !== undefined;
  const acquireLock = () =>
    acquireSessionLock({ port: record.port, password: record.superuserPassword, dataDir }, isUp);

  const lock = await startAndLock(cluster, acquireLock);
  try {
    await ensureShopDatabase(lock.client, record.shopPassword);
  } catch (error) {
    await disconnect(lock.client);
    await stopPostmaster(cluster);
    throw error;
  }
  const stopWatchdog = startWatchdog({ cluster, lock, acquireLock, log, onFatal });
  const url = shopDatabaseUrl(record);
  let stopping: Promise<void> | undefined;
  const stop = async (discards: boolean) => {
    try {
      const isDiscarded = discards && isNew && !(await hasTables(url));
      await stopWatchdog();
      await stopPostmaster(cluster);
      if (isDiscarded) cluster.remove();
    } finally {
      release();
    }
  };
  const stopOnce = (discards: boolean) => {
    stopping ??= stop(discards);
    return stopping;
  };
  return {
    url,
    folder: cluster.folder,
    stop: () => stopOnce(false),
    stopAndDiscard: () => stopOnce(true),
    setOthersAside: cluster.setOthersAside,
  };
}

/** True also for a database that does not answer. */
async function hasTables(url: string): Promise<boolean> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 5_000 });
  // The query then fails.
  client.on("error", () => undefined);
  try {
    await client.connect();
    const { rows } = await client.query(
      "select from information_schema.tables where table_schema not in ('pg_catalog', 'information_schema')",
    );
    return rows.length > 0;
  } catch {
    return true;
  } finally {
    await disconnect(client);
  }
}

async function startAndLock(cluster: Cluster, acquireLock: () => Promise<SessionLock>): Promise<SessionLock> {
  try {
    await startPostmaster(cluster);
    return await acquireLock();
  } catch (error) {
    // The server may still be starting when pg_ctl gives up.
    await stopPostmaster(cluster);
    throw error;
  }
}

/** The shop uses a role that owns its database and has no other rights, so that no query can reach the machine. */
async function ensureShopDatabase(client: pg.Client, password: string): Promise<void> {
  const role = await client.query("select 1 from pg_roles where rolname = 'daypass'");
  if (role.rowCount === 0) {
    await client.query(`create role daypass login createdb password ${client.escapeLiteral(password)}`);
  }
  const database = await client.query("select 1 from pg_database where datname = 'daypass'");
  if (database.rowCount === 0) await client.query("create database daypass owner daypass");
}

const RETRY_DELAYS_MS = [0, 500, 2_000, 4_000];
const WINDOW_MS = 60_000;
const RESTARTS_IN_WINDOW = 5;

/**
 * Restarts the database server when it ends, and acquires the session lock again. Notices the end by the connection
 * that holds the lock, which closes with the server.
 *
 * @param options.acquireLock connects and acquires the lock again
 * @param options.onFatal called once when the restart fails or the server ends again and again
 * @returns stops the watchdog; it starts nothing afterwards
 */
function startWatchdog(options: {
  cluster: Cluster;
  lock: SessionLock;
  acquireLock: () => Promise<SessionLock>;
  log: (line: string) => void;
  onFatal: (error: Error) => void;
}): () => Promise<void> {
  const { cluster, log } = options;
  const stopping = new AbortController();
  const restarts: number[] = [];
  let lock = options.lock;

  async function restart(): Promise<void> {
    let lastError: unknown;
    for (const delayMs of RETRY_DELAYS_MS) {
      await delay(delayMs, undefined, { signal: stopping.signal });
      try {
        if (findPostmaster(cluster.folder) === undefined) await startPostmaster(cluster);
        lock = await options.acquireLock();
        return;
      } catch (error) {
        if (error instanceof DataDirInUseError) throw error;
        lastError = error;
      }
    }
    throw explainFailure(lastError, cluster.home);
  }

  async function watch(): Promise<void> {
    for (;;) {
      await lock.lost;
      if (stopping.signal.aborted) return;
      log("The database stopped; starting it again.");
      const now = Date.now();
      restarts.splice(0, restarts.length, ...restarts.filter((time) => time > now - WINDOW_MS), now);
      if (restarts.length > RESTARTS_IN_WINDOW) {
        throw new StartupError(
          `The database stopped ${restarts.length} times in a minute: ${cluster.logFile} tells why.`,
        );
      }
      await restart();
      if (stopping.signal.aborted) return disconnect(lock.client);
      log("The database is back.");
    }
  }

  const watching = watch().catch((error: unknown) => {
    if (!stopping.signal.aborted) options.onFatal(explainFailure(error, cluster.home));
  });

  return async () => {
    stopping.abort();
    await disconnect(lock.client);
    await watching;
  };
}
