import { getTableName } from "drizzle-orm";
import { schema } from "./schema.ts";

/** A table by its name in code. */
export type TableName = keyof typeof schema;

/** Further texts, such as lists of values of many lengths, are read each time. */
const MAX_TEXTS = 1_000;

/** The verbs that write, and the table behind them. Quotes, schema and letter case do not matter. */
const WRITES =
  /\b(?:insert\s+into|update(?:\s+only)?|delete\s+from(?:\s+only)?|merge\s+into(?:\s+only)?|truncate(?:\s+table)?(?:\s+only)?|copy)\s+(?:"?public"?\s*\.\s*)?"?([a-z_]+)"?/gi;

/**
 * Finds the tables that a statement writes, by its text, wherever in it. A text in quotes that looks like a statement
 * counts as well. Cascades, triggers and functions of the database are not seen; the shop has none that write.
 *
 * @returns a function that reads a text once and then only looks it up; null: the statement writes no table of the shop
 */
export function createWrittenTables(): (text: string) => readonly TableName[] | null {
  const known = new Map<string, readonly TableName[] | null>();
  return (text) => {
    const found = known.get(text);
    if (found !== undefined) return found;
    const tables = readTables(text);
    if (known.size < MAX_TEXTS) known.set(text, tables);
    return tables;
  };
}

const namesInCode = new Map<string, string>(
  Object.entries(schema).map(([name, table]) => [getTableName(table), name]),
);

function readTables(text: string): readonly TableName[] | null {
  const tables = new Set<TableName>();
  for (const [, table = ""] of text.matchAll(WRITES)) {
    const name = namesInCode.get(table.toLowerCase());
    if (name !== undefined && isTableName(name)) tables.add(name);
  }
  return tables.size === 0 ? null : [...tables];
}

function isTableName(name: string): name is TableName {
  return Object.hasOwn(schema, name);
}
