const KEY = "chosen-tool";
/** After this time a sign-in no longer belongs to the chosen tool. */
const MAXIMUM_AGE_MS = 10 * 60_000;

/** Stores the slug of the tool that a visitor has chosen, until they have signed in. */
export function rememberChosenTool(slug: string): void {
  try {
    sessionStorage.setItem(KEY, `${Date.now()} ${slug}`);
  } catch {
    // Without storage the visitor has to choose the tool again.
  }
}

export function forgetChosenTool(): void {
  try {
    sessionStorage.removeItem(KEY);
  } catch {
    // Without storage nothing was stored.
  }
}

/** Returns the stored slug and removes it; null without a recent one. */
export function takeChosenTool(): string | null {
  try {
    const [at, slug] = sessionStorage.getItem(KEY)?.split(" ") ?? [];
    sessionStorage.removeItem(KEY);
    return slug !== undefined && Date.now() - Number(at) < MAXIMUM_AGE_MS ? slug : null;
  } catch {
    return null;
  }
}
