/** What the action of an admin's page answers. */
export type AdminResult =
  /** `message`: the green banner, if there is one. `value`: what the operation returned. */
  | { ok: true; message: string | null; value: unknown }
  /** `fields`: the messages of each invalid field, by its path, such as "options.0.label". */
  | { ok: false; code: string; message: string; fields?: Record<string, string[]> };

/** The code of a refusal that asks for the admin's password. */
export const PASSWORD_NEEDED = "password-needed";
