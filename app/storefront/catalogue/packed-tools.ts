import type { ListedTool } from "./card-texts.ts";

/** The tools in the data of a page: a list of values for each, with the names of the fields once. */
interface PackedTools {
  fields: string[];
  rows: unknown[][];
}

export function packTools(tools: readonly ListedTool[]): PackedTools {
  const fields = [...new Set(tools.flatMap((tool) => Object.keys(tool)))];
  const rows = tools.map((tool) => {
    const values = new Map<string, unknown>(Object.entries(tool));
    return fields.map((field) => values.get(field));
  });
  return { fields, rows };
}

export function unpackTools({ fields, rows }: PackedTools): ListedTool[] {
  return rows.map((row) => Object.fromEntries(fields.map((field, at): unknown[] => [field, row[at]])));
}
