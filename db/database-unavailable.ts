/** The database did not answer, or the connection to it could not be made. */
export class DatabaseUnavailableError extends Error {
  override readonly name = "DatabaseUnavailableError";
  /** SQLSTATE "connection failure", for libraries that keep no more of an error than its code. */
  readonly code = "08006";
}

/** SQLSTATE of a server that stops, starts or has no connection left, and of a statement that took too long. */
const UNAVAILABLE_STATES = new Set(["57P01", "57P02", "57P03", "57P05", "53300", "57014"]);

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

/** Whether an error, or what caused it, says that the database could not be used at all: trying again later helps. */
export function causedByUnavailableDatabase(error: unknown): boolean {
  const seen = new Set<Error>();
  for (let current = error; current instanceof Error && !seen.has(current); current = current.cause) {
    seen.add(current);
    if (current instanceof DatabaseUnavailableError || connectionErrors.has(current)) return true;
    if (CONNECTION_LOST.test(current.message)) return true;
    const code = "code" in current ? current.code : undefined;
    // Class 08 is "connection exception".
    if (typeof code === "string" && (UNAVAILABLE_STATES.has(code) || /^08[0-9A-Z]{3}$/.test(code)))
      return true;
  }
  return false;
}
