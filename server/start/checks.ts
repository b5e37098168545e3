import { existsSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import pg from "pg";
import { ConfigurationError, type Env } from "../env.ts";

/**
 * Checks that there are keys to rotate, before a database is started. Otherwise new keys would be created, which are not
 * those of the shop.
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

// A shop that is being stopped has released its port by then.
const STOPPING_MS = 2_000;

/**
 * Checks that the shop will be able to listen, before anything is built or started.
 *
 * @throws ConfigurationError
 */
export async function checkPort({ host, port }: Pick<Env, "host" | "port">): Promise<void> {
  const deadline = Date.now() + STOPPING_MS;
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

function explain(error: Error, host: string, port: number): ConfigurationError {
  const code = "code" in error ? String(error.code) : error.message;
  const sentences: Record<string, string> = {
    EADDRINUSE: `PORT ${port} on ${host} is in use by another program: stop that one, or set PORT to another number.`,
    EACCES: `PORT ${port} may not be used by this user: set PORT to a number above 1023.`,
    EADDRNOTAVAIL: `HOST ${host} is not an address of this machine.`,
    ENOTFOUND: `HOST ${host} is not a name this machine knows.`,
  };
  return new ConfigurationError(sentences[code] ?? `PORT ${port} on ${host} cannot be used (${code}).`, {
    cause: error,
  });
}

const DATABASE_TIMEOUT_MS = 10_000;

/**
 * Connects to the database once.
 *
 * @param variable the setting that the address comes from
 * @throws ConfigurationError naming host and port, never the password
 */
export async function checkDatabase(variable: string, url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: DATABASE_TIMEOUT_MS });
  // An error while the connection is closed changes nothing.
  client.on("error", () => undefined);
  try {
    await client.connect();
  } catch (error) {
    const { host } = new URL(url);
    throw new ConfigurationError(
      `${variable} (${host || "local socket"}) cannot be reached: ${reasonOf(error)}.`,
      {
        cause: error,
      },
    );
  } finally {
    await client.end().catch(() => undefined);
  }
}

function reasonOf(error: unknown): string {
  // A host name with several addresses fails with one error for each address.
  const single = error instanceof AggregateError ? error.errors[0] : error;
  const code = single instanceof Error && "code" in single ? String(single.code) : "";
  const reasons: Record<string, string> = {
    ECONNREFUSED: "nothing answers there",
    ENOTFOUND: "there is no such host",
    EAI_AGAIN: "its name cannot be looked up",
    ETIMEDOUT: "it does not answer in time",
    ENOENT: "there is no such socket",
  };
  const message = single instanceof Error ? single.message : String(single);
  if (/timeout/i.test(message)) return "it does not answer in time";
  return reasons[code] ?? message.split("\n")[0]?.replace(/\.$/, "") ?? code;
}
