import type { z } from "zod";

/** A field of a record that the form of the admin and the catalogue file both have. Its name is the same in both. */
export interface RecordField {
  /** What the form calls it. */
  label: string;
  /** What a change calls it, in the audit log and before an upload. Without it: its name in words. */
  changeName?: string;
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

/** The values that a record has of these fields. */
export function valuesOf(fields: RecordFields, record: object): Record<string, unknown> {
  const values = new Map<string, unknown>(Object.entries(record));
  return Object.fromEntries(Object.keys(fields).map((name) => [name, values.get(name)]));
}

export function changeNamesOf(fields: RecordFields): Record<string, string> {
  return Object.fromEntries(
    Object.entries(fields).flatMap(([name, { changeName }]) => (changeName ? [[name, changeName]] : [])),
  );
}
