import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type pg from "pg";
import { findBinaries } from "./binaries.ts";
import { createCluster, findFreePort, readRecord, writeRecord } from "./cluster.ts";
import { findHolder, heldBy, takeHolderFile } from "./holder-file.ts";
import { keepRunning } from "./keep-running.ts";
import { stopOrphan } from "./orphan.ts";
import { findPlace, openHome } from "./place.ts";
import { type ClusterPlace, findPostmaster, startPostmaster, stopPostmaster } from "./postmaster.ts";
import { disconnect, type SessionLock, takeSessionLock } from "./session-lock.ts";
import { explainFailure } from "./startup-error.ts";

export type EmbeddedPostgres = {
  /** For role daypass on database daypass, which it owns. Stays the same until stop. */
  readonly url: string;
  /** Stops the database and gives DATA_DIR back; may be called again, also while it is being restarted. */
  readonly stop: () => Promise<void>;
};

type Options = {
  /** Made when missing. */
  readonly dataDir: string;
  readonly log: (line: string) => void;
  /** The database is down and cannot be brought back; the error says why in one sentence. */
  readonly onFatal: (error: Error) => void;
};

// A shop that is just being stopped, or whose npm was just killed, is gone by then.
const LEAVING_MS = 3_000;

/**
 * Refuses early when a running shop has this DATA_DIR; changes nothing.
 * @throws HeldError when that is still so after a moment
 */
export async function refuseIfHeld(dataDir: string): Promise<void> {
  const deadline = Date.now() + LEAVING_MS;
  for (;;) {
    const holder = findHolder(join(dataDir, "pg"));
    if (holder === undefined) return;
    if (Date.now() > deadline) throw heldBy(dataDir, holder.pid, holder.since);
    await delay(100);
  }
}

/**
 * Starts the PostgreSQL that lives in DATA_DIR, making it at the first start and recovering what a killed
 * shop left behind, and keeps it running until stop.
 * @throws StartupError one sentence for the person at the terminal; HeldError when another shop has DATA_DIR
 */
export async function startEmbeddedPostgres(options: Options): Promise<EmbeddedPostgres> {
  const dataDir = resolve(options.dataDir);
  let giveBack: (() => void) | undefined;
  try {
    const holder = findHolder(join(dataDir, "pg"));
    if (holder !== undefined) throw heldBy(dataDir, holder.pid, holder.since);
    const local = openHome(dataDir);
    giveBack = takeHolderFile(local, dataDir);
    return await startHeld(local, { ...options, dataDir }, giveBack);
  } catch (error) {
    giveBack?.();
    throw explainFailure(error, dataDir);
  }
}

async function startHeld(local: string, options: Options, giveBack: () => void): Promise<EmbeddedPostgres> {
  const { dataDir, log, onFatal } = options;
  const place = await findPlace({ local, dataDir, packaged: findBinaries(), log });
  if (!existsSync(join(place.cluster, "PG_VERSION"))) await createCluster(place);
  place.settled();
  if (await stopOrphan(place, dataDir)) log("Stopped the database that a killed shop had left running.");

  const recorded = readRecord(place.cluster);
  const record = { ...recorded, port: await findFreePort(recorded.port) };
  writeRecord(place, record);
  const isUp = () => findPostmaster(place.cluster) !== undefined;
  const takeLock = () =>
    takeSessionLock({ port: record.port, password: record.superuserPassword, dataDir }, isUp);

  const lock = await startAndLock(place, takeLock);
  try {
    await addShopDatabase(lock.client, record.shopPassword);
  } catch (error) {
    await disconnect(lock.client);
    await stopPostmaster(place);
    throw error;
  }
  const endWatch = keepRunning({ place, lock, takeLock, log, onFatal });
  let stopping: Promise<void> | undefined;
  const stop = async () => {
    try {
      await endWatch();
      await stopPostmaster(place);
    } finally {
      giveBack();
    }
  };
  return {
    url: `postgres://daypass:${record.shopPassword}@127.0.0.1:${record.port}/daypass?sslmode=disable`,
    stop: () => {
      stopping ??= stop();
      return stopping;
    },
  };
}

async function startAndLock(place: ClusterPlace, takeLock: () => Promise<SessionLock>): Promise<SessionLock> {
  try {
    await startPostmaster(place);
    return await takeLock();
  } catch (error) {
    // Also one that was still starting when pg_ctl gave up on it.
    await stopPostmaster(place);
    throw error;
  }
}

/** The shop works as a role that owns its database and nothing else, so that no query can reach the machine. */
async function addShopDatabase(client: pg.Client, password: string): Promise<void> {
  const role = await client.query("select 1 from pg_roles where rolname = 'daypass'");
  if (role.rowCount === 0) {
    await client.query(`create role daypass login createdb password ${client.escapeLiteral(password)}`);
  }
  const database = await client.query("select 1 from pg_database where datname = 'daypass'");
  if (database.rowCount === 0) await client.query("create database daypass owner daypass");
}
