/** The errors of a form by the names of its fields. */
export interface FieldErrors {
  /** Of one field. */
  at(name: string): readonly string[] | undefined;
  /** Of a list and its entries, each message once. */
  under(name: string): readonly string[];
}

export function toFieldErrors(errors: Readonly<Record<string, readonly string[]>>): FieldErrors {
  return {
    at: (name) => errors[name],
    under: (name) => [
      ...new Set(
        Object.entries(errors).flatMap(([field, messages]) =>
          field === name || field.startsWith(`${name}[`) ? messages : [],
        ),
      ),
    ],
  };
}
