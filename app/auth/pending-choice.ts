import { withStorage } from "../ui/optional-interfaces.ts";

/** After this time a sign-in no longer belongs to the choice. */
const MAXIMUM_AGE_MS = 10 * 60_000;

/** What a visitor has chosen and continues with after signing in, even when the sign-in has reloaded the page. */
interface PendingChoice {
  /** @param option the label of the chosen pricing option; null if there is none */
  remember(id: string, option?: string | null): void;
  /** A recent choice; null if there is none. */
  read(): { id: string; option: string | null } | null;
  forget(): void;
}

/** The slug of a tool, and the pricing option chosen on its shop page. */
export const pendingTool = storeChoice("pending-tool");
/** The slug of the tool whose pass is to be renewed. */
export const pendingRenewal = storeChoice("pending-renewal");
/** The path of a page that needs an account. */
export const pendingPage = storeChoice("pending-page");

/** The id of a giveaway's round. */
export const pendingClaim = storeChoice("pending-claim");

/** The slug of a tool out of stock that the visitor wants to be told of. */
export const pendingAlert = storeChoice("pending-alert");

/** Without storage nothing is remembered, and the visitor has to choose again. */
function storeChoice(key: string): PendingChoice {
  return {
    remember: (id, option = null) =>
      withStorage("session", (storage) => storage.setItem(key, [Date.now(), id, option ?? ""].join("\n"))),
    forget: () => withStorage("session", (storage) => storage.removeItem(key)),
    read: () =>
      withStorage("session", (storage) => {
        const [at, id, option] = storage.getItem(key)?.split("\n") ?? [];
        return id !== undefined && Date.now() - Number(at) < MAXIMUM_AGE_MS
          ? { id, option: option || null }
          : null;
      }),
  };
}
