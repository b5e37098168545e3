import type { ReactNode } from "react";
import { Button } from "../button.tsx";
import { Dialog } from "./dialog.tsx";
import { useBackStep } from "./use-back-step.ts";

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
  const { open, title, children, confirmLabel, cancelLabel = "Cancel" } = props;
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
