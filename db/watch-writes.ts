import type pg from "pg";
import { createWrittenTables, type TableName } from "./written-tables.ts";

/** Set by the driver for errors that the server reports. Any other error leaves open whether the statement ran. */
const isRefusedByServer = (error: unknown): boolean =>
  typeof error === "object" && error !== null && "severity" in error;

/**
 * Reports which tables the statements of a connection have changed, once their transaction is committed. Whoever is told
 * can read the change. A rolled back transaction is not reported. A statement whose answer was lost is: it may have run.
 *
 * @param onWritten called with each table once; must not throw
 * @returns a function for the pool to call with each new connection
 */
export function createWriteWatch(
  onWritten: (tables: ReadonlySet<TableName>) => void,
): (client: pg.PoolClient) => void {
  const writtenBy = createWrittenTables();
  return (client) => {
    let written = new Set<TableName>();
    let outcome: unknown;
    const report = () => {
      if (written.size === 0) return;
      const tables = written;
      written = new Set();
      onWritten(tables);
    };
    // The server names what a command did: a commit of a failed transaction is a rollback.
    client.connection.on("commandComplete", (message: { text?: unknown }) => {
      outcome = message.text;
    });
    client.connection.on("errorMessage", () => {
      outcome = "ROLLBACK";
    });
    client.connection.on("readyForQuery", () => {
      // Not a rollback to a savepoint: it leaves the transaction open.
      if (client.getTransactionStatus() !== "I") return;
      if (outcome === "ROLLBACK") written.clear();
      else report();
    });
    client.once("end", report);

    const note = (tables: readonly TableName[], error?: unknown) => {
      if (error && isRefusedByServer(error)) return;
      for (const table of tables) written.add(table);
      if (error || client.getTransactionStatus() === "I") report();
    };
    const query: (...args: unknown[]) => unknown = client.query.bind(client);
    Object.assign(client, {
      query: (...args: unknown[]) => {
        const tables = writtenBy(textOf(args[0]));
        if (tables === null) return query(...args);
        const last = args.length - 1;
        const callback = args[last];
        if (typeof callback === "function") {
          args[last] = (error: unknown, ...rest: unknown[]) => {
            note(tables, error);
            callback(error, ...rest);
          };
          return query(...args);
        }
        const answer = query(...args);
        if (answer instanceof Promise)
          answer.then(
            () => note(tables),
            (error: unknown) => note(tables, error),
          );
        else note(tables);
        return answer;
      },
    });
  };
}

function textOf(config: unknown): string {
  if (typeof config === "string") return config;
  if (typeof config !== "object" || config === null || !("text" in config)) return "";
  return typeof config.text === "string" ? config.text : "";
}
