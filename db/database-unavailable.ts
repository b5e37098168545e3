/** The database did not answer, or the connection to it could not be made. */
export class DatabaseUnavailableError extends Error {
  override readonly name = "DatabaseUnavailableError";
  /** SQLSTATE "connection failure", for libraries that keep no more of an error than its code. */
  readonly code = "08006";
}

/** SQLSTATE "query canceled": a statement exceeded its timeout, or somebody cancelled it. */
const QUERY_CANCELED = "57014";

/** SQLSTATE of a server that stops, starts or has no connection left, and of a statement that took too long. */
const UNAVAILABLE_STATES = new Set(["57P01", "57P02", "57P03", "57P05", "53300", QUERY_CANCELED]);

/** What the driver says, without any code, about a connection that was lost or was not made in time. */
const CONNECTION_LOST =
  /^Connection terminated|^timeout exceeded when trying to connect|^timeout expired$|^Query read timeout|^Client (?:has encountered a connection error and|was closed and) is not queryable/;

const connectionErrors = new WeakSet<object>();

/**
 * Marks an error as one of the connection to the database. A code such as ECONNREFUSED does not tell that by itself: the
 * payment gateway and the mail server fail with the same ones.
 */
export function markConnectionError(error: unknown): void {
  if (error instanceof Error && !("severity" in error)) connectionErrors.add(error);
}

/**
 * Whether an error, or what caused it, says that the database could not do its work now: trying again later helps. A
 * cancelled statement counts.
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

/** Whether the server cancelled a statement: the database works, but the statement was too slow or waited for a lock. */
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
