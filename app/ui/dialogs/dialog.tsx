import { Dialog as Base } from "@base-ui/react/dialog";
import X from "lucide-react/icons/x";
import { type ReactNode, useEffect, useRef } from "react";
import { Button } from "../button.tsx";
import { classNames } from "../class-names.ts";
import { type Elements, t } from "../texts/texts.ts";
import { DIALOG } from "./dialog-shell.tsx";
import { useGivesWay } from "./give-way.ts";
import { useBackStep } from "./use-back-step.ts";

const SIZES = {
  small: "dialog-popup max-h-[92dvh] rounded-t-ticket sm:max-w-[26.5rem] sm:rounded-ticket",
  large: "dialog-popup max-h-[92dvh] rounded-t-ticket sm:max-w-[52rem] sm:rounded-ticket",
  tall: `${DIALOG.ticket} ${DIALOG.tall}`,
  ticket: `${DIALOG.ticket} ${DIALOG.low}`,
  side: "dialog-drawer max-h-[92dvh] rounded-t-ticket sm:h-dvh sm:max-h-none sm:max-w-[34rem] sm:rounded-l-ticket sm:rounded-tr-none",
};

/** The second click of a double click may arrive on the backdrop of the dialog that the first one opened. */
const DOUBLE_CLICK_MS = 500;

const CONTROLS = "input:not([type=hidden]), select, textarea, button, a[href]";

interface DialogProps {
  open: boolean;
  onOpenChange: (open: boolean) => void;
  title: ReactNode;
  /** One sentence under the title. */
  description?: ReactNode;
  /** Before the title, in the same row: a back button. */
  start?: Elements;
  /**
   * side: a drawer at the right edge, for details. tall: as wide as large, its content never changes its height, and a ticket can
   * grow into it. ticket: the same, as high as its content.
   */
  size?: keyof typeof SIZES;
  /** Prevents closing: no close button, and Escape and clicks outside do nothing. */
  locked?: boolean;
  /** It does not close when somebody asks to buy: the purchase dialog itself shows another tool. */
  staysForPurchase?: boolean;
  /** It appears or disappears without a motion: something else is at its place just before or after. */
  instant?: boolean;
  /** A click outside does not close it: it holds a form, and what is typed would be lost. */
  keepOnOutsidePress?: boolean;
  /** Element to focus on opening; otherwise the first control of the content, which is not the close button. */
  initialFocus?: React.RefObject<HTMLElement | null>;
  /** Returns the element to focus after closing; false leaves the focus, null restores the previous one. */
  finalFocus?: () => HTMLElement | false | null;
  children: ReactNode;
}

/**
 * A modal dialog: centred, or a drawer at the side, from 640 px; a sheet at the bottom below that. It keeps the focus and
 * restores it on closing.
 */
export function Dialog({
  open,
  onOpenChange,
  title,
  description,
  start,
  size = "small",
  locked = false,
  keepOnOutsidePress = false,
  staysForPurchase = false,
  instant = false,
  initialFocus,
  finalFocus,
  children,
}: DialogProps) {
  const body = useRef<HTMLDivElement>(null);
  const openedAt = useRef(0);
  useEffect(() => {
    if (open) openedAt.current = performance.now();
  }, [open]);
  useGivesWay(open && !locked && !staysForPurchase, () => onOpenChange(false));
  // By touch the popup has the focus, so that no keyboard opens.
  const focusContent = (openedBy: string) =>
    (openedBy === "touch" ? null : body.current?.querySelector<HTMLElement>(CONTROLS)) ?? true;

  return (
    <Base.Root
      open={open}
      onOpenChange={(next, details) => {
        if (locked && !next) return details.cancel();
        const isSecondClick =
          details.reason === "outside-press" && performance.now() - openedAt.current < DOUBLE_CLICK_MS;
        if (!next && isSecondClick) return details.cancel();
        onOpenChange(next);
      }}
      disablePointerDismissal={locked || keepOnOutsidePress}
    >
      {/* A layer of its own, so that the scrim of a later dialog also covers this one. */}
      <Base.Portal className="relative isolate z-50">
        <Base.Backdrop
          forceRender
          data-instant={instant || undefined}
          className="dialog-backdrop fixed inset-0 z-40 bg-scrim"
        />
        <Base.Viewport
          className={
            size === "side"
              ? "fixed inset-0 z-50 flex items-end justify-center sm:justify-end"
              : DIALOG.viewport
          }
        >
          <Base.Popup
            initialFocus={initialFocus ?? focusContent}
            finalFocus={finalFocus}
            data-instant={instant || undefined}
            className={classNames(DIALOG.popup, SIZES[size])}
          >
            <header className={DIALOG.header}>
              {start}
              <div className="min-w-0 flex-1 pt-1.5">
                <Base.Title className={DIALOG.title}>{title}</Base.Title>
                {description === undefined ? null : (
                  <Base.Description className={DIALOG.description}>{description}</Base.Description>
                )}
              </div>
              <Base.Close
                aria-label={t("Close")}
                title={t("Close")}
                disabled={locked}
                className={DIALOG.close}
              >
                <X className="size-5" aria-hidden="true" />
              </Base.Close>
            </header>
            <div
              ref={body}
              // A drawer shows details, often without a control. It takes the focus, so that the keyboard scrolls it.
              tabIndex={size === "side" ? 0 : undefined}
              className={DIALOG.body}
            >
              {children}
            </div>
          </Base.Popup>
        </Base.Viewport>
      </Base.Portal>
    </Base.Root>
  );
}

interface ConfirmDialogProps {
  open: boolean;
  title: string;
  children?: ReactNode;
  /** The name of the action, such as "Delete Coupon Code". */
  confirmLabel: string;
  /** The name of the button that changes nothing. */
  cancelLabel?: string;
  busy?: boolean;
  /** false: the back button does not close it, because it asks about leaving the page. */
  closesOnBack?: boolean;
  onConfirm: () => void;
  onClose: () => void;
}

/** Asks before something is destroyed. Nothing is confirmed by default: the focus starts on Cancel. */
export function ConfirmDialog(props: ConfirmDialogProps) {
  const { open, title, children, confirmLabel, cancelLabel = t("Cancel") } = props;
  const { busy = false, closesOnBack = true, onConfirm, onClose } = props;
  useBackStep(open && closesOnBack ? "open" : "closed", onClose);
  return (
    <Dialog open={open} onOpenChange={(next) => !next && onClose()} title={title}>
      {children === undefined ? null : <div className="flex flex-col gap-2 text-sm">{children}</div>}
      <div className="mt-5 flex flex-wrap justify-end gap-2">
        <Button onClick={onClose}>{cancelLabel}</Button>
        <Button variant="danger" busy={busy} onClick={onConfirm}>
          {confirmLabel}
        </Button>
      </div>
    </Dialog>
  );
}
