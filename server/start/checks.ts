import { existsSync, readFileSync, statSync } from "node:fs";
import { createServer } from "node:net";
import { dirname, join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import pg from "pg";
import { ConfigurationError, type Env } from "../env.ts";

/**
 * Checks that there are keys to rotate, before a database is started. Otherwise new keys would be created, which do not belong to
 * the shop.
 *
 * @throws ConfigurationError
 */
export function checkVaultKeyFile({
  vaultKeys,
  dataDir,
}: {
  vaultKeys: readonly string[];
  dataDir: string;
}): void {
  // The same path as in adapters/cipher/key-file.ts, which is a part of the bundle and not loaded yet.
  if (vaultKeys.length > 0 || existsSync(join(dataDir, "keys", "vault-keys"))) return;
  throw new ConfigurationError(
    `There are no keys in ${join(dataDir, "keys")}: run this with the settings of the shop, after its first start.`,
  );
}

/**
 * Files that root writes into the folders of another user would lock the shop out of its own data.
 *
 * @throws ConfigurationError for root, unless the folders belong to root
 */
export function refuseRoot(
  { dataDir, backupFolder }: Pick<Env, "dataDir" | "backupFolder">,
  uid: number | undefined = process.getuid?.(),
): void {
  if (uid !== 0) return;
  for (const folder of [dataDir, backupFolder]) {
    const owner = ownerOf(folder);
    if (owner === 0) continue;
    throw new ConfigurationError(
      `Run this as the user who owns ${folder} (user id ${owner}), who also runs the shop: that user could not read what root writes. Nothing was changed.`,
    );
  }
}

/** The owner of the folder, or of the nearest one above it that exists. */
function ownerOf(folder: string): number {
  const info = statSync(folder, { throwIfNoEntry: false });
  return info?.uid ?? ownerOf(dirname(folder));
}

// A shop that is being stopped has released its port by then.
const STOPPING_MS = 2_000;

/**
 * Checks that the shop will be able to listen, before anything is built or started.
 *
 * @param stoppingMs how long it waits for a shop that is being stopped
 * @throws ConfigurationError
 */
export async function checkPort(
  { host, port }: Pick<Env, "host" | "port">,
  stoppingMs = STOPPING_MS,
): Promise<void> {
  const deadline = Date.now() + stoppingMs;
  for (;;) {
    const error = await tryPort(host, port);
    if (error === undefined) return;
    const isTaken = "code" in error && error.code === "EADDRINUSE";
    if (!isTaken || Date.now() > deadline) throw explain(error, host, port);
    await delay(100);
  }
}

function tryPort(host: string, port: number): Promise<Error | undefined> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once("error", resolve);
    server.listen(port, host, () => server.close(() => resolve(undefined)));
  });
}

const HOST_REMEDY =
  "Leave it out for this machine only, or set it to 0.0.0.0 for all addresses of this machine.";

function explain(error: Error, host: string, port: number): ConfigurationError {
  const code = "code" in error ? String(error.code) : error.message;
  const sentences: Record<string, string> = {
    EADDRINUSE: `PORT ${port} on ${host} is in use by another program: stop that one, or set PORT to another number.`,
    EACCES: `PORT ${port} may not be used by this user: set PORT to a number above 1023.`,
    EADDRNOTAVAIL: `HOST ${host} is not an address of this machine. ${HOST_REMEDY}`,
    ENOTFOUND: `HOST ${host} is not a name this machine knows. ${HOST_REMEDY}`,
  };
  return new ConfigurationError(sentences[code] ?? `PORT ${port} on ${host} cannot be used (${code}).`, {
    cause: error,
  });
}

/** The connections of visitors that the shop keeps (server/http/http-limits.ts), the database's, and files. */
const OPEN_FILES_NEEDED = 4_500;

/** How many files and connections this process may open at a time; null: the system does not say. */
function readOpenFilesLimit(): number | null {
  if (process.platform !== "linux") return null;
  const limits = readFileSync("/proc/self/limits", "utf8");
  const [, soft] = /^Max open files +(\d+)/m.exec(limits) ?? [];
  return soft === undefined ? null : Number(soft);
}

/** What is wrong with a low limit, and what the owner can do; null: the limit is high enough. */
export function findFewOpenFiles(
  limit: number | null = readOpenFilesLimit(),
): { detail: string; remedy: string; command: string } | null {
  if (limit === null || limit >= OPEN_FILES_NEEDED) return null;
  return {
    detail: `The shop may open only ${limit} files and connections at a time. When many visitors come, it refuses some.`,
    remedy:
      "Raise the limit: with systemd by LimitNOFILE=65536 under [Service], otherwise as root by this line before the start:",
    command: "ulimit -n 65536",
  };
}

const DATABASE_TIMEOUT_MS = 10_000;

/** The database does not answer, or stopped answering, during a start. The next start may succeed. */
export class DatabaseLostError extends Error {
  override readonly name = "DatabaseLostError";
}

/**
 * Codes of a connection that a later attempt may get: the database server, its machine or the network is not up yet; and
 * SQLSTATEs of a server that stops, starts or has no free connection. ENOTFOUND is not one of them: the name server has
 * answered that there is no such host.
 */
const MAY_ANSWER_LATER = new Set([
  "ECONNREFUSED",
  "ECONNRESET",
  "ETIMEDOUT",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "EAI_AGAIN",
  "ENOENT",
  "57P01",
  "57P02",
  "57P03",
  "53300",
]);

/** Messages of the driver, without a code, for a connection that was closed or not made in time. */
const CONNECTION_LOST = /^Connection terminated|^timeout expired$/;

/**
 * Connects to the database once.
 *
 * @param variable the setting that the address comes from
 * @throws DatabaseLostError when a later attempt may succeed, otherwise ConfigurationError; both name host and port, never
 *   the password
 */
export async function checkDatabase(variable: string, url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: DATABASE_TIMEOUT_MS });
  // An error while the connection is closed changes nothing.
  client.on("error", () => undefined);
  try {
    await client.connect();
  } catch (cause) {
    const { host } = new URL(url);
    // A host name with several addresses fails with one error for each address.
    const error: unknown = cause instanceof AggregateError ? cause.errors[0] : cause;
    const message = `${variable} (${host || "local socket"}) cannot be reached: ${reasonOf(error)}.`;
    const isLost = error instanceof Error && CONNECTION_LOST.test(error.message);
    throw isLost || MAY_ANSWER_LATER.has(codeOf(error))
      ? new DatabaseLostError(message, { cause })
      : new ConfigurationError(message, { cause });
  } finally {
    await client.end().catch(() => undefined);
  }
}

export const READ_ONLY_DATABASE: DatabaseFault = {
  detail: "The database is read only: nobody can buy or sign in.",
  remedy:
    "A managed database becomes so when its disk is full, and a standby always is. Free some space there, or use the address of the primary in DATABASE_URL.",
};

export const WEAK_ROLE: DatabaseFault = {
  detail: "The database does not allow this role what the shop needs.",
  remedy: "Make the role the owner of the database (ALTER DATABASE … OWNER TO …).",
};

/** What a database answers that works, but not for the shop. */
const DATABASE_FAULTS: Readonly<Record<string, DatabaseFault>> = {
  "25006": READ_ONLY_DATABASE,
  "42501": WEAK_ROLE,
  "53300": {
    detail: "The database gives no more connections.",
    remedy:
      "Raise the limit (max_connections of the server, or that of the role or the database), or stop what else uses it. One shop uses up to 15.",
  },
  "53100": { detail: "The disk of the database is full.", remedy: "Free some space there." },
};

interface DatabaseFault {
  detail: string;
  remedy: string;
}

/** What is wrong when a cause of the error is such an answer, and what the owner can do. */
export function findDatabaseFault(error: unknown): DatabaseFault | null {
  for (let at = error, depth = 0; at instanceof Error && depth < 10; at = at.cause, depth++) {
    const fault = DATABASE_FAULTS[codeOf(at)];
    if (fault !== undefined) return fault;
  }
  return null;
}

const codeOf = (error: unknown) => (error instanceof Error && "code" in error ? String(error.code) : "");

/** Why a connection was not made. */
export function reasonOf(error: unknown): string {
  const code = codeOf(error);
  const reasons: Record<string, string> = {
    ECONNREFUSED: "nothing answers there",
    ENOTFOUND: "there is no such host",
    EAI_AGAIN: "its name cannot be looked up",
    ETIMEDOUT: "it does not answer in time",
    ENOENT: "there is no such socket",
  };
  const message = error instanceof Error ? error.message : String(error);
  if (/timeout/i.test(message)) return "it does not answer in time";
  const line = message.split("\n").find((one) => one.trim() !== "");
  return reasons[code] ?? (line?.trim().replace(/\.$/, "") || code || "it gave no reason");
}
