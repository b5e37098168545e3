export const WANTED_COOKIE = "daypass.wanted-page";
/** The paths of the pages that need an account. Only they are kept and continued. */
export const PAGE_PATH = /^(?=.{1,120}$)(\/[\w-]+)+$/;
/** After the path, in the cookie of a browser that was signed out elsewhere. No path has a dot. */
export const SESSION_ENDED = ".session-ended";

/** The page that a visitor was redirected from. */
export interface WantedPage {
  path: string;
  /** The browser was signed out elsewhere. */
  sessionEnded: boolean;
}

/** Reads the page that the visitor was redirected from, once; null if there is none. Called in a browser. */
export function takeWantedPage(): WantedPage | null {
  const prefix = `${WANTED_COOKIE}=`;
  const found = document.cookie.split("; ").find((cookie) => cookie.startsWith(prefix));
  if (found === undefined) return null;
  // biome-ignore lint/suspicious/noDocumentCookie: the Cookie Store API exists with https only
  document.cookie = `${prefix}; Path=/; Max-Age=0`;
  const kept = found.slice(prefix.length);
  const path = kept.replace(SESSION_ENDED, "");
  return PAGE_PATH.test(path) ? { path, sessionEnded: path !== kept } : null;
}
