import type { Database, Executor, Transaction } from "./database.ts";

const RETRYABLE = new Set(["40001", "40P01"]);
const MAX_RETRIES = 3;

/** The SQLSTATE of an error or of one of its causes, if there is one. */
function sqlState(error: unknown): string | undefined {
  let current: unknown = error;
  while (current instanceof Error) {
    if ("code" in current && typeof current.code === "string" && /^[0-9A-Z]{5}$/.test(current.code))
      return current.code;
    current = current.cause;
  }
  return undefined;
}

export const isUniqueViolation = (error: unknown): boolean => sqlState(error) === "23505";

/** Two ranges would overlap that must not. */
export const isExclusionViolation = (error: unknown): boolean => sqlState(error) === "23P01";

/** A value does not fit its column or breaks a check of it, so that another attempt fails as well. */
export const isInvalidDataError = (error: unknown): boolean => /^(22|23514)/.test(sqlState(error) ?? "");

/** The name of the constraint that an error of Postgres reports, if any. */
export function violatedConstraint(error: unknown): string | undefined {
  let current: unknown = error;
  while (current instanceof Error) {
    if ("constraint" in current && typeof current.constraint === "string") return current.constraint;
    current = current.cause;
  }
  return undefined;
}

/**
 * Runs `work` in one transaction (read committed). Deadlocks and serialisation failures are retried up to three times
 * with jitter, so `work` must have no effects outside the database.
 */
export async function inTransaction<T>(db: Database, work: (tx: Transaction) => Promise<T>): Promise<T> {
  for (let attempt = 0; ; attempt++) {
    try {
      return await db.transaction(work);
    } catch (error) {
      if (attempt >= MAX_RETRIES || !RETRYABLE.has(sqlState(error) ?? "")) throw error;
      await new Promise((resolve) => setTimeout(resolve, Math.random() * 25 * 2 ** attempt));
    }
  }
}

/** Runs `work` in a savepoint, so that its failure does not abort the whole transaction. */
export function inSavepoint<T>(tx: Executor, work: (tx: Transaction) => Promise<T>): Promise<T> {
  return tx.transaction(work);
}
