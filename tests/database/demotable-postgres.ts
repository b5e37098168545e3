import { chownSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import pg from "pg";
import { startThrowawayPostgres, type TestServer } from "./throwaway-postgres.ts";

/** A server that becomes a read-only standby and a primary again, at the same address. */
interface DemotableServer extends TestServer {
  /** Cuts all connections, as every demotion does: Postgres becomes a standby only when it starts. */
  demote(): Promise<void>;
  promote(): Promise<void>;
}

export async function startDemotablePostgres(): Promise<DemotableServer> {
  const { url, folder, stop } = await startThrowawayPostgres();
  const order = (file: string, signal: NodeJS.Signals) => {
    const { uid, gid } = statSync(folder);
    writeFileSync(join(folder, file), "");
    chownSync(join(folder, file), uid, gid);
    process.kill(Number(readFileSync(join(folder, "postmaster.pid"), "utf8").split("\n")[0]), signal);
  };
  return {
    url,
    stop,
    demote: () => {
      order("standby.signal", "SIGQUIT");
      return untilStandby(url, true);
    },
    promote: () => {
      order("promote", "SIGUSR1");
      return untilStandby(url, false);
    },
  };
}

const TIMEOUT_MS = 30_000;

async function untilStandby(url: string, expected: boolean): Promise<void> {
  const until = performance.now() + TIMEOUT_MS;
  while ((await isStandby(url)) !== expected) {
    if (performance.now() > until)
      throw new Error(`the server did not become ${expected ? "a standby" : "the primary"}`);
    await delay(50);
  }
}

/** @returns undefined while the server restarts */
async function isStandby(url: string): Promise<boolean | undefined> {
  const client = new pg.Client({ connectionString: url });
  client.on("error", () => undefined);
  try {
    await client.connect();
    const { rows } = await client.query<{ standby: boolean }>("select pg_is_in_recovery() as standby");
    return rows[0]?.standby;
  } catch {
    return undefined;
  } finally {
    await client.end().catch(() => undefined);
  }
}
