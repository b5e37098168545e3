import pg from "pg";
import { ConfigurationError } from "../env.ts";

const TIMEOUT_MS = 10_000;

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
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: TIMEOUT_MS });
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

const codeOf = (error: unknown) => (error instanceof Error && "code" in error ? String(error.code) : "");

function reasonOf(error: unknown): string {
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
  return reasons[code] ?? message.split("\n")[0]?.replace(/\.$/, "") ?? code;
}
