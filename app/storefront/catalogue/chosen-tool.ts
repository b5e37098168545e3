const KEY = "chosen-tool";
/** Signing in after a longer while is about something else. */
const REMEMBERED_MS = 10 * 60_000;

/** Keeps the slug of the tool a visitor pressed, for after they signed in. */
export function rememberChosenTool(slug: string): void {
  try {
    sessionStorage.setItem(KEY, `${Date.now()} ${slug}`);
  } catch {
    // Without storage the visitor presses the ticket once more.
  }
}

export function forgetChosenTool(): void {
  try {
    sessionStorage.removeItem(KEY);
  } catch {
    // Nothing was stored either.
  }
}

/** The slug, once; null when none was kept lately. */
export function takeChosenTool(): string | null {
  try {
    const [at, slug] = sessionStorage.getItem(KEY)?.split(" ") ?? [];
    sessionStorage.removeItem(KEY);
    return slug !== undefined && Date.now() - Number(at) < REMEMBERED_MS ? slug : null;
  } catch {
    return null;
  }
}
