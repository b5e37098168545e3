import { type ReactNode, useId, useLayoutEffect, useRef } from "react";
import { classNames } from "../class-names.ts";
import { type Elements, t } from "../texts/texts.ts";
import { useBackStep } from "./use-back-step.ts";

/** The class names of the parts of a dialog. */
export const DIALOG = {
  viewport: "fixed inset-0 z-50 flex items-end justify-center sm:items-center sm:p-6",
  popup:
    "flex w-full flex-col overflow-hidden border-line bg-card text-ink shadow-float outline-none dark:border",
  /** As wide as large. A ticket can grow into it. */
  ticket: "dialog-popup dialog-ticket rounded-t-ticket sm:max-w-[52rem] sm:rounded-ticket",
  /** Its content never changes its height. */
  tall: "h-[min(95dvh,49rem)] sm:h-[min(92dvh,44rem)]",
  /** As high as its content. */
  low: "max-h-[92dvh]",
  header: "flex items-start gap-2 px-5 pt-4 pb-2 sm:px-6 sm:pt-5",
  title: "text-lg leading-snug",
  description: "mt-1 text-muted",
  close:
    "-mr-2 inline-flex size-11 shrink-0 items-center justify-center rounded-control text-muted transition-colors duration-150 hover:bg-ink/5 hover:text-ink disabled:invisible",
  body: "dialog-body min-h-0 flex-1 overflow-y-auto overscroll-contain px-5 pt-1 pb-6 sm:px-6",
};

interface DialogShellProps {
  /** As high as a tall dialog, or as its content. */
  tall: boolean;
  title: ReactNode;
  description: ReactNode;
  start: Elements;
  onClose: () => void;
  children: ReactNode;
}

/**
 * What a `Dialog` for a ticket looks like while its code is being loaded: the dialog then takes its place. Uses the browser's dialog.
 * The focus is on the dialog itself, as it has no control but Close.
 */
export function DialogShell({ tall, title, description, start, onClose, children }: DialogShellProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const titleId = useId();
  useBackStep("open", onClose);
  useLayoutEffect(() => {
    const opened = dialog.current;
    opened?.showModal();
    opened?.focus({ preventScroll: true });
  }, []);
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the keyboard has Escape
    <dialog
      ref={dialog}
      tabIndex={-1}
      aria-labelledby={titleId}
      onCancel={(event) => {
        // Closed by React, which then has the focus restored.
        event.preventDefault();
        onClose();
      }}
      onClick={({ target, currentTarget, detail }) => {
        // The second click of a double click is meant for the card below.
        if (target === currentTarget && detail < 2) onClose();
      }}
      className={`${DIALOG.viewport} m-0 h-full max-h-none w-full max-w-none bg-transparent p-0 outline-none backdrop:bg-scrim`}
    >
      <div className={classNames(DIALOG.popup, DIALOG.ticket, tall ? DIALOG.tall : DIALOG.low)}>
        <header className={DIALOG.header}>
          {start}
          <div className="min-w-0 flex-1 pt-1.5">
            <h2 id={titleId} className={DIALOG.title}>
              {title}
            </h2>
            <p className={DIALOG.description}>{description}</p>
          </div>
          <button
            type="button"
            aria-label={t("Close")}
            title={t("Close")}
            onClick={onClose}
            className={DIALOG.close}
          >
            <svg viewBox="0 0 24 24" className="size-5" aria-hidden="true">
              <path d="M18 6 6 18M6 6l12 12" className="stroke-2 stroke-current [stroke-linecap:round]" />
            </svg>
          </button>
        </header>
        <div className={DIALOG.body}>{children}</div>
      </div>
    </dialog>
  );
}
