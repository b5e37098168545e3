import { formatPaise } from "#core/money.ts";
import type { UserPurchase } from "#core/passes/list-purchases.server.ts";
import { ConfirmDialog } from "../../../ui/dialogs/confirm-dialog.tsx";
import { Money } from "../../../ui/money.tsx";
import { ActionError } from "../../dialogs/action-error.tsx";
import { useAdminAction } from "../../forms/use-admin-action.ts";

interface DeletePurchaseDialogProps {
  purchase: UserPurchase;
  toolName: string;
  open: boolean;
  onClose: () => void;
}

/** Asks before a purchase is deleted. */
export function DeletePurchaseDialog({ purchase, toolName, open, onClose }: DeletePurchaseDialogProps) {
  const { id, amountPaise, isActive, status, endedReason, testMode } = purchase;
  const action = useAdminAction({ onDone: onClose });
  const isPaid = amountPaise > 0 && (status === "completed" || status === "active") && !testMode;
  return (
    <ConfirmDialog
      open={open}
      title="Delete this purchase?"
      confirmLabel="Delete Purchase"
      busy={action.busy}
      onConfirm={() => action.run("delete-purchase", { purchaseId: id })}
      onClose={onClose}
    >
      <p>
        {isActive ? `The access to ${toolName} ends at once, and the` : `The`} purchase of {toolName}{" "}
        disappears from every list. This cannot be undone.
      </p>
      {isPaid && endedReason !== null ? (
        <p className="text-muted">
          This moves no money. View the purchase in User Purchases to see whether it was refunded.
        </p>
      ) : null}
      {isPaid && endedReason === null ? (
        <p className="text-muted">
          <Money>{formatPaise(amountPaise)}</Money> is not paid back, and Total Revenue does not change. To
          pay it back, cancel the purchase in User Purchases instead.
        </p>
      ) : null}
      <ActionError result={action.result} />
    </ConfirmDialog>
  );
}
