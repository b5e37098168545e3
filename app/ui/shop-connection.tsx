import { useId, useLayoutEffect, useRef } from "react";
import { Button } from "./button.tsx";
import { t } from "./texts/texts.ts";

export const CHECK_CONNECTION = "Please check your internet connection.";

/** For a request that got no response. */
export const NETWORK_ERROR_MESSAGE = "Network error. Please check your internet connection.";

/** For a form. */
export const TYPED_IS_KEPT = "What you typed is kept.";

const REACHABLE_WITHIN_MS = 15_000;

/** Whether the shop responds at all. Never rejects. */
export function isShopReachable(): Promise<boolean> {
  return fetch("/healthz", { cache: "no-store", signal: AbortSignal.timeout(REACHABLE_WITHIN_MS) }).then(
    ({ ok }) => ok,
    () => false,
  );
}

interface NoConnectionProps {
  busy: boolean;
  onTryAgain: () => void;
  onClose: () => void;
}

/**
 * Says over the page that the connection failed. Uses the browser's dialog, because the code of `Dialog` may be
 * missing.
 */
export function NoConnection({ busy, onTryAgain, onClose }: NoConnectionProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const titleId = useId();

  useLayoutEffect(() => {
    const opened = dialog.current;
    opened?.showModal();
    // Only closing the dialog restores the focus; removing it from the page does not.
    return () => opened?.close();
  }, []);

  return (
    <dialog
      ref={dialog}
      aria-labelledby={titleId}
      onClose={({ currentTarget }) => {
        if (!currentTarget.open) onClose();
      }}
      className="appear mx-auto mt-auto mb-0 w-full max-w-full rounded-t-ticket border-line bg-card px-5 pt-6 pb-[calc(1.5rem+env(safe-area-inset-bottom))] text-ink shadow-float backdrop:bg-scrim sm:my-auto sm:max-w-[26.5rem] sm:rounded-ticket sm:px-6 sm:pb-6 dark:border"
    >
      <h2 id={titleId} className="text-lg leading-snug">
        {t(NETWORK_ERROR_MESSAGE)}
      </h2>
      <p className="mt-2 text-muted">{t("Nothing on this page is lost.")}</p>
      <div className="mt-6 flex flex-col gap-2 sm:flex-row-reverse">
        <Button variant="strong" wide busy={busy} className="min-h-12" onClick={onTryAgain}>
          {t("Try again")}
        </Button>
        <Button wide className="min-h-12" onClick={() => dialog.current?.close()}>
          {t("Close")}
        </Button>
      </div>
    </dialog>
  );
}
