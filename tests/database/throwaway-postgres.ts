import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { z } from "zod";
import { startEmbeddedPostgres } from "#server/embedded-postgres/start-embedded-postgres.ts";

/** A server whose user may create databases. */
export interface TestServer {
  url: string;
  stop: () => Promise<void>;
}

/** A server on this machine. It is started again when it ends. */
interface LocalServer extends TestServer {
  /** The data directory of Postgres. */
  folder: string;
}

/** Starts the embedded Postgres in a new temporary folder, which `stop` removes. */
export async function startThrowawayPostgres(): Promise<LocalServer> {
  await removeLeftovers();
  const folder = mkdtempSync(join(tmpdir(), `daypass-tests-${process.pid}-`));
  // When started as root, the server runs as another user, who must be able to enter the folder.
  chmodSync(folder, 0o755);
  try {
    const shopServer = await start(folder);
    await adjustForTests(shopServer);
    await shopServer.stop();
    const server = await start(folder);
    return {
      url: server.url,
      folder: server.folder,
      stop: async () => {
        await server.stop();
        remove(folder);
      },
    };
  } catch (error) {
    remove(folder);
    throw error;
  }
}

const ClusterRecord = z.object({ superuserPassword: z.string() });

/**
 * Stops waiting for the disk: a crash of the machine ends the tests too, and nothing is lost when only Postgres is killed.
 * Allows more connections than a shop needs: two workers have several shops open, each with a pool. Both settings apply from
 * the next start.
 */
async function adjustForTests({ url, folder }: LocalServer): Promise<void> {
  const record = ClusterRecord.parse(JSON.parse(readFileSync(join(folder, "daypass.json"), "utf8")));
  const asSuperuser = Object.assign(new URL(url), {
    username: "postgres",
    password: record.superuserPassword,
    pathname: "/postgres",
  });
  const client = new pg.Client({ connectionString: asSuperuser.href, application_name: "tests" });
  await client.connect();
  try {
    await client.query("alter system set fsync = off");
    await client.query("alter system set max_connections = 200");
  } finally {
    await client.end();
  }
}

function start(folder: string): Promise<LocalServer> {
  return startEmbeddedPostgres({
    dataDir: folder,
    log: () => undefined,
    onFatal: (error) => console.error(`The database of the tests has failed: ${error.message}`),
  });
}

/** A run that was killed leaves its server running. Starting it again takes it over, so that it can be stopped. */
async function removeLeftovers(): Promise<void> {
  for (const name of readdirSync(tmpdir())) {
    const owner = /^daypass-tests-(\d+)-/.exec(name)?.[1];
    if (owner === undefined || isRunning(Number(owner))) continue;
    const folder = join(tmpdir(), name);
    try {
      const server = await start(folder);
      await server.stop();
      remove(folder);
    } catch {
      // It belongs to another user, or another run removes it at this moment.
    }
  }
}

const RelocatedHome = z.object({ home: z.string().startsWith("/var/lib/daypass/") });

/** Where the user of the server cannot reach the folder, the database is in another folder. It is removed too. */
function remove(folder: string): void {
  const pointer = join(folder, "pg", "elsewhere.json");
  if (existsSync(pointer)) {
    const { data } = RelocatedHome.safeParse(JSON.parse(readFileSync(pointer, "utf8")));
    if (data) rmSync(data.home, { recursive: true, force: true });
  }
  rmSync(folder, { recursive: true, force: true });
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
