import type { z } from "zod";

/** A field of a record that the form of the admin and the catalogue file both have, under the same name. */
export interface RecordField {
  /** What the form calls it. */
  label: string;
  /** What a change calls it, in the audit log and before an upload. Without it: its name in words. */
  changeName?: string;
  /** Its column, where that has another name: `price` is typed in rupees and stored as `pricePaise`. */
  column?: string;
  /** What the form sends, and its messages. */
  form: z.ZodType;
  /** What an entry of the file has, and its messages. */
  file: z.ZodType;
}

type RecordFields = Readonly<Record<string, RecordField>>;

/** The schema that each field has in the form, or in the file. */
export function schemasOf<Fields extends RecordFields, Place extends "form" | "file">(
  fields: Fields,
  place: Place,
): { [Name in keyof Fields]: Fields[Name][Place] } {
  const schemas = Object.entries(fields).map(([name, field]) => [name, field[place]]);
  return Object.fromEntries(schemas) as { [Name in keyof Fields]: Fields[Name][Place] };
}

/** The values that a row has of these fields, by their columns. */
export function valuesOf(fields: RecordFields, row: object): Record<string, unknown> {
  const values = new Map<string, unknown>(Object.entries(row));
  const columns = Object.entries(fields).map(([name, { column = name }]) => column);
  return Object.fromEntries(columns.map((column) => [column, values.get(column)]));
}

/** The same as an entry of the file has them: by the names of the fields, amounts in rupees. */
export function entryOf(fields: RecordFields, row: object): Record<string, unknown> {
  const values = valuesOf(fields, row);
  return Object.fromEntries(
    Object.entries(fields).map(([name, { column = name }]) => {
      const value = values[column];
      return [name, column.endsWith("Paise") && typeof value === "number" ? value / 100 : value];
    }),
  );
}

/** What changes call these fields, by their columns. A field whose name in words is enough is left out. */
export function changeNamesOf(fields: RecordFields): Record<string, string> {
  return Object.fromEntries(
    Object.entries(fields).flatMap(([name, { column = name, changeName }]) =>
      changeName === undefined ? [] : [[column, changeName]],
    ),
  );
}
