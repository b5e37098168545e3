import { type Column, type SQL, sql } from "drizzle-orm";
import type { PgColumn } from "drizzle-orm/pg-core";
import type { Database, Executor } from "./database.ts";
import type { SchemaTable } from "./schema.ts";
import { changed, connectionOf } from "./transaction.ts";

/** A query of the builder, such as `db.select().from(tools)`. */
interface BuiltQuery<Result> {
  prepare(name: string): { execute(values: Record<string, unknown>): Promise<Result> };
}

type Run<Result> = (executor: Executor, values: Record<string, unknown>) => Promise<Result>;

/**
 * A statement that each connection builds, parses and plans once. It is for the checkout: for its small statements that is more
 * work than running them. Behind a pooler that shares connections the statement has no name, and is only built once.
 *
 * @param name unique in the shop
 * @param build every value that differs between runs has to be one of `valueFor` or `valuesFor`. This includes the
 *   values that JavaScript computes by default (`$defaultFn`, `$onUpdate`): they would keep the value of the first run.
 */
export function prepareStatement<Result>(
  name: string,
  build: (connection: Database) => BuiltQuery<Result>,
): Run<Result> {
  const prepared = new WeakMap<Database, ReturnType<BuiltQuery<Result>["prepare"]>>();
  return (executor, values) => {
    const { connection, namesStatements } = connectionOf(executor);
    const known = prepared.get(connection);
    const statement = known ?? build(connection).prepare(namesStatements ? name : "");
    if (!known) prepared.set(connection, statement);
    return statement.execute(values);
  };
}

/** A prepared statement that writes a table. Each run says so, as `changed` does. */
export function prepareWrite<Result>(
  name: string,
  table: SchemaTable,
  build: (connection: Database) => BuiltQuery<Result>,
): Run<Result> {
  const run = prepareStatement(name, build);
  return async (executor, values) => {
    const result = await run(executor, values);
    changed(executor, table);
    return result;
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
