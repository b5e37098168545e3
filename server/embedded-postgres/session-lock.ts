import { setTimeout as delay } from "node:timers/promises";
import pg from "pg";
import { z } from "zod";
import { heldBy } from "./holder-file.ts";

/** Held while the shop runs, by a connection of its own; the database frees it the moment that ends. */
export type SessionLock = {
  readonly client: pg.Client;
  /** Resolves when the connection is gone, for whatever reason. */
  readonly lost: Promise<void>;
};

// "dayp" in ASCII; advisory locks are told apart by number only.
const LOCK_CLASS = 0x64617970;
const CONNECT_TIMEOUT_MS = 5_000;
const DISCONNECT_TIMEOUT_MS = 2_000;
// A killed holder's backend needs a moment to notice that nobody is at the other end.
const FREE_TIMEOUT_MS = 3_000;

const holderRows = z.array(z.object({ name: z.string(), since: z.date() }));

/**
 * @param isUp asked between attempts; false ends the waiting for a database that is still starting
 * @throws HeldError naming the process that has the lock
 */
export async function takeSessionLock(
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

/** Ends a connection. A server that does not answer never confirms that, so the connection is cut after a moment. */
export async function disconnect(client: pg.Client): Promise<void> {
  const cut = setTimeout(() => client.connection.stream.destroy(), DISCONNECT_TIMEOUT_MS);
  // The connection may be broken already, which ends it as well.
  await client.end().catch(() => undefined);
  clearTimeout(cut);
}

async function acquire(client: pg.Client, dataDir: string): Promise<void> {
  const deadline = Date.now() + FREE_TIMEOUT_MS;
  for (;;) {
    const { rows } = await client.query("select pg_try_advisory_lock($1, 1) as taken", [LOCK_CLASS]);
    if (z.array(z.object({ taken: z.boolean() })).parse(rows)[0]?.taken === true) return;
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
  throw heldBy(dataDir, pid, holder?.since.toISOString() ?? "a moment ago");
}

async function connectWhenReady(
  options: { port: number; password: string },
  isUp: () => boolean,
): Promise<{ client: pg.Client; lost: Promise<void> }> {
  for (;;) {
    // Every value is given, so that no PG… variable of the environment has a say.
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

/** 57P03: starting, recovering or stopping. A refused connection: the port is not open yet or any more. */
function isStillStarting(error: unknown): boolean {
  return (
    error instanceof Error && "code" in error && (error.code === "57P03" || error.code === "ECONNREFUSED")
  );
}
