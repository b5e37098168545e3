import { notifyOtherPages } from "../live/page-channel.ts";
import { withStorage } from "../ui/optional-interfaces.ts";

/** The names under which this browser keeps what a person did here. Themes, sounds and dismissed hints are not among them. */
const PERSONAL_KEYS =
  /^(?:dismissed-checkouts|unfinished-checkout|quiet-until|came-from|google-sign-in-result|pending-.+|daypass\.(?:copied|seen)\..+)$/;

/** Removes what the stores of this browser have about the person who was signed in. */
export function forgetPerson(): void {
  for (const kind of ["session", "local"] as const)
    withStorage(kind, (storage) => {
      for (const key of Object.keys(storage)) if (PERSONAL_KEYS.test(key)) storage.removeItem(key);
    });
}

/**
 * For the `clientAction` of a form that ends the session: what the action redirects to replaces the document, because the
 * data of the pages before stays in the document otherwise.
 */
export async function signOutHere<Answer>(serverAction: () => Promise<Answer>): Promise<Answer> {
  try {
    return await serverAction();
  } catch (error) {
    const target = error instanceof Response ? error.headers.get("location") : null;
    if (target === null) throw error;
    forgetPerson();
    notifyOtherPages(null);
    window.location.replace(target);
    return new Promise(() => undefined);
  }
}
