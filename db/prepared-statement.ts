import { type Column, type SQL, sql } from "drizzle-orm";
import { NodePgSession } from "drizzle-orm/node-postgres";
import type { PgColumn } from "drizzle-orm/pg-core";
import type { Executor } from "./database.ts";

/** A query of the builder, such as `db.select().from(tools)`. */
interface BuiltQuery<Result> {
  prepare(name: string): { execute(values: Record<string, unknown>): Promise<Result> };
}

/**
 * A statement that is built once, at its first run, and then runs on the connection of any caller. Building the
 * statements of a purchase takes longer than sending them. The builder's own `prepare` binds a statement to one
 * connection, so a transaction cannot use it.
 *
 * @param build every value that differs between runs has to be one of `valueFor` or `valuesFor`. This includes the
 *   values that JavaScript computes by default (`$defaultFn`, `$onUpdate`): they would keep the value of the first run.
 */
export function prepareStatement<Result>(
  build: (executor: Executor) => BuiltQuery<Result>,
): (executor: Executor, values: Record<string, unknown>) => Promise<Result> {
  let prepared: ReturnType<BuiltQuery<Result>["prepare"]> | undefined;
  return (executor, values) => {
    prepared ??= build(executor).prepare("");
    const { session } = executor._;
    if (!(session instanceof NodePgSession)) throw new Error("the driver is not node-postgres");
    const onConnection: typeof prepared = Object.create(prepared, {
      client: { value: Reflect.get(session, "client") },
    });
    return onConnection.execute(values);
  };
}

/** The value of a column that is given at each run, under `name`. */
export function valueFor(column: Column, name: string): SQL {
  const encoder = {
    mapToDriverValue: (value: unknown): unknown => (value === null ? null : column.mapToDriverValue(value)),
  };
  return sql`${sql.param(sql.placeholder(name), encoder)}`;
}

/** The values of several columns of a table, each under the name of its property. */
export function valuesFor<Key extends string>(
  table: Readonly<Record<Key, PgColumn>>,
  keys: readonly Key[],
): Record<Key, SQL> {
  const entries = keys.map((key) => [key, valueFor(table[key], key)] as const);
  return Object.fromEntries(entries) as Record<Key, SQL>;
}
