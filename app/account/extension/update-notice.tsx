import { useCallback, useEffect, useRef, useState } from "react";
import { isOlderVersion } from "#contracts/compare-versions.ts";
import { askForExtension } from "../../tools/extension/extension-presence.ts";
import { Button } from "../../ui/button.tsx";

const SHOWN_AFTER_MS = 500;
/** Such a browser has no extensions; the section of the downloads is hidden there by the same rule. */
const PHONE = "(pointer: coarse), (width < 40rem)";
const SEEN_KEY = "daypass.extension-update";

/**
 * Says that a version of the extension is available, when the installed one is older or unknown: on each visit, until
 * the buyer dismisses that version in this browser. It is not modal, because it is about something that can wait. Phones
 * have no extension.
 */
export function UpdateNotice({ version }: { version: string }) {
  /** null while no extension has answered. */
  const [installed, setInstalled] = useState<string | null>(null);
  const [isDue, setIsDue] = useState(false);

  useEffect(() => askForExtension((presence) => setInstalled(presence.version)), []);
  useEffect(() => {
    if (wasSeen(version) || window.matchMedia(PHONE).matches) return;
    const timer = setTimeout(() => setIsDue(true), SHOWN_AFTER_MS);
    return () => clearTimeout(timer);
  }, [version]);

  const dismiss = useCallback(() => {
    setIsDue(false);
    rememberSeen(version);
  }, [version]);
  const isShown = isDue && (installed === null || isOlderVersion(installed, version));
  const notice = useFocusWhileShown(isShown, dismiss);

  if (!isShown) return null;
  return (
    <>
      {/* So that everything below the notice can be scrolled out from under it. */}
      <div aria-hidden="true" className="h-60" />
      <section
        ref={notice}
        tabIndex={-1}
        role="dialog"
        aria-modal="false"
        aria-labelledby="extension-update"
        data-sound="notification"
        className="appear fixed right-4 bottom-4 z-20 flex max-w-80 flex-col gap-3 rounded-ticket border border-line bg-card p-4 shadow-float outline-none"
      >
        <div className="flex flex-col gap-1">
          <h2 id="extension-update" className="text-base">
            Extension Update Available
          </h2>
          <p className="text-muted text-sm">
            {installed === null
              ? `With the browser extension you don’t have to copy codes. You can download version ${version} on this page.`
              : `You can download version ${version} of the browser extension on this page; you have ${installed}.`}{" "}
            <a href="#extension" className="text-accent underline">
              How to install it
            </a>
          </p>
        </div>
        <Button size="small" variant="strong" onClick={dismiss}>
          Got it, thanks!
        </Button>
      </section>
    </>
  );
}

/**
 * Focuses the notice when it appears, but takes the focus from nobody who is typing or has a dialog open. Escape closes it
 * from wherever the focus is, and gives the focus back.
 */
function useFocusWhileShown(isShown: boolean, dismiss: () => void) {
  const notice = useRef<HTMLElement>(null);
  useEffect(() => {
    if (!isShown) return;
    const before = document.activeElement;
    const isBusy = before?.matches("input, textarea, select, [aria-modal=true] *") ?? false;
    if (!isBusy) notice.current?.focus({ preventScroll: true });
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.key === "Escape" && !event.defaultPrevented) dismiss();
    };
    document.addEventListener("keydown", onKeyDown);
    return () => {
      document.removeEventListener("keydown", onKeyDown);
      if (document.activeElement !== document.body) return;
      const isThere = before instanceof HTMLElement && before !== document.body && before.isConnected;
      (isThere ? before : document.getElementById("content"))?.focus({ preventScroll: true });
    };
  }, [isShown, dismiss]);
  return notice;
}

function wasSeen(version: string): boolean {
  try {
    return localStorage.getItem(SEEN_KEY) === version;
  } catch {
    // Nothing can be stored in this browser, so the notice would come back on each visit.
    return true;
  }
}

function rememberSeen(version: string): void {
  try {
    localStorage.setItem(SEEN_KEY, version);
  } catch {
    // It comes back on the next visit.
  }
}
