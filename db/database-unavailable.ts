/** The database did not answer, or no connection to it could be made. */
export class DatabaseUnavailableError extends Error {
  override readonly name = "DatabaseUnavailableError";
  /** SQLSTATE "connection failure", for libraries that keep only the code of an error. */
  readonly code = "08006";
}

/** SQLSTATE "query canceled": a statement exceeded its timeout, or somebody cancelled it. */
const QUERY_CANCELED = "57014";

/**
 * SQLSTATE "read-only transaction": the shop opens no such transaction in which it writes. The server is a standby, such as the
 * former primary after a switchover, or its operator lets nobody write at present.
 */
const READ_ONLY = "25006";

/** SQLSTATEs of a server that stops, starts or has no free connection, and of a statement that took too long. */
const UNAVAILABLE_STATES = new Set(["57P01", "57P02", "57P03", "57P05", "53300", READ_ONLY, QUERY_CANCELED]);

/** Messages of the driver, without a code, for a connection that was lost or not made in time. */
const CONNECTION_LOST =
  /^Connection terminated|^timeout exceeded when trying to connect|^timeout expired$|^Query read timeout|^Client (?:has encountered a connection error and|was closed and) is not queryable/;

const connectionErrors = new WeakSet<object>();

/**
 * Marks an error as one of the database connection. A code such as ECONNREFUSED does not show that: connections to the
 * gateway and the mail server fail with the same codes.
 */
export function markConnectionError(error: unknown): void {
  if (error instanceof Error && !("severity" in error)) connectionErrors.add(error);
}

/**
 * Whether an error or one of its causes means that the database cannot be used at present, so that a later attempt may
 * succeed. A cancelled statement counts.
 */
export function causedByUnavailableDatabase(error: unknown): boolean {
  for (const current of chainOf(error)) {
    if (current instanceof DatabaseUnavailableError || connectionErrors.has(current)) return true;
    if (CONNECTION_LOST.test(current.message)) return true;
    const code = "code" in current ? current.code : undefined;
    // Class 08 is "connection exception".
    if (typeof code === "string" && (UNAVAILABLE_STATES.has(code) || /^08[0-9A-Z]{3}$/.test(code)))
      return true;
  }
  return false;
}

/**
 * Whether the server cancelled a statement: the database works, but the statement was too slow or waited for a lock.
 */
export function causedByCanceledStatement(error: unknown): boolean {
  return chainOf(error).some((current) => "code" in current && current.code === QUERY_CANCELED);
}

/** An error and its causes. */
function chainOf(error: unknown): Error[] {
  const chain = new Set<Error>();
  for (let current = error; current instanceof Error && !chain.has(current); current = current.cause)
    chain.add(current);
  return [...chain];
}
