interface FieldState {
  id: string;
  name: string;
  errors?: string[] | undefined;
  initialValue?: unknown;
}

/** What a field of the UI needs to be a field of `useAdminForm`. */
export function fieldProps({ id, name, errors, initialValue }: FieldState) {
  return { id, name, errors, defaultValue: typeof initialValue === "string" ? initialValue : "" };
}

/** The same for a checkbox. */
export function checkProps({ id, name, initialValue }: FieldState) {
  return { id, name, defaultChecked: initialValue === "on" };
}
