/*
 * The interfaces that a browser may not have, may refuse, or may have as null: where cookies are blocked, without https, inside of
 * another app, or in an old version. A rule of `npm run lint` keeps them in this file. The page works without any of them.
 */

function whereAllowed<Value>(use: () => Value): Value | null {
  try {
    return use();
  } catch {
    return null;
  }
}

/**
 * What `use` returns with a storage; null where the browser offers none or the storage fails.
 *
 * @param kind `session`: of this tab; `local`: of this browser
 */
export function withStorage<Value>(
  kind: "session" | "local",
  use: (storage: Storage) => Value,
): Value | null {
  return whereAllowed(() => use(kind === "session" ? sessionStorage : localStorage));
}

/** A BroadcastChannel to the other pages of this browser; null where there is none. */
export function openChannel(name: string): BroadcastChannel | null {
  return whereAllowed(() => new BroadcastChannel(name));
}

/** A stream of server-sent events; null where there is none. */
export function openEventStream(path: string): EventSource | null {
  return whereAllowed(() => new EventSource(path));
}

/**
 * Deletes the list of passes that an earlier version stored in this browser, and the service worker that showed it. The shop has
 * no other caches and no other workers. Goes in December 2027, with `public/wallet-worker.js`.
 */
export function removeOldWallet(): void {
  const removeCaches = async () => {
    for (const name of await caches.keys()) await caches.delete(name);
  };
  const removeWorkers = async () => {
    for (const worker of await navigator.serviceWorker.getRegistrations()) await worker.unregister();
  };
  // Where the browser refuses one of them, the other may be possible.
  for (const remove of [removeCaches, removeWorkers]) remove().catch(() => undefined);
}

/** Makes a change of the page in a view transition. @returns null where there is none: the change has not been made */
export function startTransition(change: () => void): ViewTransition | null {
  return whereAllowed(() => document.startViewTransition(change));
}

/** @throws where the browser has no clipboard or refuses it */
export async function copyText(text: string): Promise<void> {
  await navigator.clipboard.writeText(text);
}

/**
 * Copies a text that is still being fetched. Call it synchronously in the click handler: browsers allow writing only then, so the
 * clipboard gets the promise instead of the text.
 *
 * @throws as `copyText`, and what the promise rejects with
 */
export async function copyTextWhenReady(text: Promise<string>): Promise<void> {
  try {
    const blob = text.then((ready) => new Blob([ready], { type: "text/plain" }));
    // Without this, a rejection is unhandled when the clipboard refuses before it reads the promise.
    blob.catch(() => undefined);
    await navigator.clipboard.write([new ClipboardItem({ "text/plain": blob })]);
  } catch {
    // The browser has no ClipboardItem, or its ClipboardItem accepts no promise.
    await copyText(await text);
  }
}

/** Whether a gesture may have activated this page; also true where the browser does not tell. */
export const mayBeActive = (): boolean => whereAllowed(() => navigator.userActivation.hasBeenActive) ?? true;

/** Whether the browser can give an address to another app. */
export const canShare = (): boolean => whereAllowed(() => typeof navigator.share === "function") ?? false;

/** Gives an address to another app. Never rejects: the person may close the list of apps. */
export async function share(page: { title: string; url: string }): Promise<void> {
  await navigator.share(page).catch(() => undefined);
}

/** Whether the person wants to save data, or has a line so slow that nothing may be loaded ahead; false where the browser does not tell. */
export const savesData = (): boolean =>
  whereAllowed(() => {
    const { connection } = navigator as { connection?: { saveData?: boolean; effectiveType?: string } };
    return connection?.saveData === true || /2g/.test(connection?.effectiveType ?? "");
  }) ?? false;
