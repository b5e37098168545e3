/*
 * Which version of a tool's sign-in this browser last copied. Only the version is stored, which says nothing about the
 * e-mail address and the password.
 */

const keyOf = (slug: string, field: "email" | "password") => `daypass.copied.${slug}.${field}`;

/** null: this browser has copied none, or cannot store anything. */
export function readCopiedVersion(slug: string, field: "email" | "password"): string | null {
  try {
    return localStorage.getItem(keyOf(slug, field));
  } catch {
    return null;
  }
}

export function rememberCopiedVersion(slug: string, field: "email" | "password", version: string): void {
  try {
    localStorage.setItem(keyOf(slug, field), version);
  } catch {
    // A change is then noticed only while the page is open.
  }
}
