import { setTimeout as delay } from "node:timers/promises";
import pg from "pg";
import { z } from "zod";
import { dataDirInUse } from "./lock-file.ts";

/** An advisory lock that the shop holds while it runs, by a connection of its own. It ends with that connection. */
export type SessionLock = {
  readonly client: pg.Client;
  /** Resolves when the connection has ended, for any reason. */
  readonly lost: Promise<void>;
};

// "dayp" in ASCII: advisory locks have numbers and no names.
const LOCK_CLASS = 0x64617970;
const CONNECT_TIMEOUT_MS = 5_000;
const DISCONNECT_TIMEOUT_MS = 2_000;
// The database notices the end of a killed process only after a moment.
const FREE_TIMEOUT_MS = 3_000;

const holderRows = z.array(z.object({ name: z.string(), since: z.date() }));

/**
 * @param isUp called between attempts; false ends the wait for a database that is still starting
 * @throws DataDirInUseError naming the process that holds the lock
 */
export async function acquireSessionLock(
  options: { port: number; password: string; dataDir: string },
  isUp: () => boolean,
): Promise<SessionLock> {
  const { client, lost } = await connectWhenReady(options, isUp);
  try {
    await acquire(client, options.dataDir);
    return { client, lost };
  } catch (error) {
    await disconnect(client);
    throw error;
  }
}

/** Ends a connection. When the server does not confirm that within two seconds, the connection is cut. */
export async function disconnect(client: pg.Client): Promise<void> {
  const cut = setTimeout(() => client.connection.stream.destroy(), DISCONNECT_TIMEOUT_MS);
  // A broken connection has already ended.
  await client.end().catch(() => undefined);
  clearTimeout(cut);
}

async function acquire(client: pg.Client, dataDir: string): Promise<void> {
  const deadline = Date.now() + FREE_TIMEOUT_MS;
  for (;;) {
    const { rows } = await client.query("select pg_try_advisory_lock($1, 1) as acquired", [LOCK_CLASS]);
    if (z.array(z.object({ acquired: z.boolean() })).parse(rows)[0]?.acquired === true) return;
    if (Date.now() > deadline) break;
    await delay(100);
  }
  const { rows } = await client.query(
    `select a.application_name as name, a.backend_start as since from pg_locks l
     join pg_stat_activity a on a.pid = l.pid
     where l.locktype = 'advisory' and l.classid = $1 and l.objid = 1 and l.granted`,
    [LOCK_CLASS],
  );
  const holder = holderRows.parse(rows)[0];
  const pid = /^daypass pid (\d+)/.exec(holder?.name ?? "")?.[1] ?? "of an unknown number";
  throw dataDirInUse(dataDir, pid, holder?.since.toISOString() ?? "a moment ago");
}

async function connectWhenReady(
  options: { port: number; password: string },
  isUp: () => boolean,
): Promise<{ client: pg.Client; lost: Promise<void> }> {
  for (;;) {
    // Every value is given, so that no PG… variable of the environment changes it.
    const client = new pg.Client({
      host: "127.0.0.1",
      port: options.port,
      user: "postgres",
      password: options.password,
      database: "postgres",
      ssl: false,
      options: "-c idle_session_timeout=0",
      application_name: `daypass pid ${process.pid}`,
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
      keepAlive: true,
    });
    const lost = new Promise<void>((resolve) => {
      client.on("error", () => resolve());
      client.on("end", () => resolve());
    });
    try {
      await client.connect();
      return { client, lost };
    } catch (error) {
      await disconnect(client);
      if (!isStillStarting(error) || !isUp()) throw error;
      await delay(100);
    }
  }
}

/** 57P03: the server starts, recovers or stops. A refused connection: its port is not open. */
function isStillStarting(error: unknown): boolean {
  return (
    error instanceof Error && "code" in error && (error.code === "57P03" || error.code === "ECONNREFUSED")
  );
}
