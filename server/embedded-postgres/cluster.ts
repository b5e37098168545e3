import { randomBytes } from "node:crypto";
import {
  appendFileSync,
  chmodSync,
  chownSync,
  closeSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { z } from "zod";
import { programOf } from "./binaries.ts";
import type { Cluster } from "./postmaster.ts";
import { runProgram } from "./processes.ts";
import { explainText, StartupError } from "./startup-error.ts";

/** The shop's own data about a cluster. It is stored inside the cluster, so that it is moved and copied with it. */
export type ClusterRecord = z.infer<typeof recordSchema>;

const recordSchema = z.object({
  superuserPassword: z.string().min(1),
  shopPassword: z.string().min(1),
  port: z.int().min(1).max(65_535),
});

// For one small server: little idle memory, no parallel workers (they need /dev/shm, which is small in containers), and
// no row contents in the log.
const SETTINGS = `listen_addresses = '127.0.0.1'
unix_socket_directories = ''
max_connections = 60
shared_buffers = 64MB
huge_pages = off
jit = off
max_parallel_workers = 0
max_parallel_workers_per_gather = 0
max_logical_replication_workers = 0
max_wal_size = 512MB
fsync = on
synchronous_commit = on
full_page_writes = on
password_encryption = scram-sha-256
timezone = UTC
log_timezone = UTC
log_checkpoints = off
log_error_verbosity = terse
log_min_error_statement = panic
io_method = sync
`;

/**
 * Creates the cluster under a temporary name and renames it, so that a folder with the final name is always complete.
 *
 * @throws StartupError
 */
export async function createCluster(cluster: Cluster): Promise<void> {
  const { home, folder, account, binaries } = cluster;
  for (const entry of readdirSync(home).filter((name) => name.endsWith(".tmp"))) {
    rmSync(join(home, entry), { recursive: true, force: true, maxRetries: 5 });
  }
  const draft = `${folder}.${crypto.randomUUID()}.tmp`;
  const passwordFile = `${draft}.password.tmp`;
  try {
    const record = {
      superuserPassword: newPassword(),
      shopPassword: newPassword(),
      port: await findFreePort(),
    };
    mkdirSync(draft, { mode: 0o700 });
    writeFileSync(passwordFile, record.superuserPassword, { mode: 0o600 });
    if (account !== undefined) {
      for (const path of [draft, passwordFile]) chownSync(path, account.uid, account.gid);
    }
    const { code, output } = await runProgram(
      programOf(binaries, "initdb"),
      [
        "-D",
        draft,
        "-U",
        "postgres",
        "-A",
        "scram-sha-256",
        `--pwfile=${passwordFile}`,
        "--encoding=UTF8",
        "--locale=C",
        "--locale-provider=builtin",
        "--builtin-locale=C.UTF-8",
        "--no-instructions",
      ],
      account,
    );
    if (code !== 0) throw explainText(output, home);
    appendFileSync(join(draft, "postgresql.conf"), "\ninclude 'daypass.conf'\n", { flush: true });
    writeRecord({ ...cluster, folder: draft }, record);
    moveInto(draft, folder);
    syncFolder(home);
  } finally {
    rmSync(passwordFile, { force: true });
    rmSync(draft, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** @throws StartupError when the record is missing or damaged */
export function readRecord(folder: string): ClusterRecord {
  const file = join(folder, "daypass.json");
  try {
    return recordSchema.parse(JSON.parse(readFileSync(file, "utf8")));
  } catch (error) {
    throw new StartupError(`${file}, which holds the database's passwords, cannot be read: bring it back.`, {
      cause: error,
    });
  }
}

/** The address at which the shop signs in to its own database. */
export function shopDatabaseUrl({ port, shopPassword }: ClusterRecord): string {
  return `postgres://daypass:${shopPassword}@127.0.0.1:${port}/daypass?sslmode=disable`;
}

/** Writes the record and the settings of Postgres that follow from it; they take effect at the next start. */
export function writeRecord(cluster: Cluster, record: ClusterRecord): void {
  replaceFile(cluster, "daypass.json", JSON.stringify(record));
  replaceFile(cluster, "daypass.conf", `${SETTINGS}port = ${record.port}\n`);
}

/** Returns the preferred port when it is free, else another free one. @throws StartupError */
export async function findFreePort(preferred = 0): Promise<number> {
  const port = await tryPort(preferred);
  if (port !== undefined) return port;
  const other = await tryPort(0);
  if (other === undefined) throw new StartupError("No port on 127.0.0.1 is free.");
  return other;
}

function tryPort(port: number): Promise<number | undefined> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once("error", () => resolve(undefined));
    server.listen(port, "127.0.0.1", () => {
      const address = server.address();
      server.close(() => resolve(typeof address === "object" && address !== null ? address.port : undefined));
    });
  });
}

function newPassword(): string {
  return randomBytes(24).toString("hex");
}

function moveInto(draft: string, folder: string): void {
  try {
    renameSync(draft, folder);
  } catch (error) {
    throw new StartupError(
      `${folder} exists and is not a database: move it away, or set DATA_DIR to another folder.`,
      { cause: error },
    );
  }
}

// The database's user owns the file: after a crash Postgres opens every file of the cluster to sync it.
function replaceFile({ folder, account }: Cluster, name: string, content: string): void {
  const draft = join(folder, `${name}.tmp`);
  writeFileSync(draft, content, { mode: 0o600, flush: true });
  chmodSync(draft, 0o600);
  if (account !== undefined) chownSync(draft, account.uid, account.gid);
  renameSync(draft, join(folder, name));
}

/** After this a rename in the folder survives a power cut. */
function syncFolder(folder: string): void {
  if (process.platform === "win32") return;
  const descriptor = openSync(folder, "r");
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
