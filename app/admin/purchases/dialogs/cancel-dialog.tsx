import type { Cancellation } from "#core/payments/describe-cancellation.server.ts";
import { AdminDialog } from "../../dialogs/admin-dialog.tsx";
import { DialogContent } from "../../dialogs/dialog-content.tsx";
import { CancelForm } from "./cancel-form.tsx";
import type { PurchaseDialogProps } from "./purchase-dialog-props.ts";

/** Ends a purchase for good. It says what will happen, and how much money goes back. */
export function CancelDialog({ purchase, open, onClose }: PurchaseDialogProps) {
  return (
    <AdminDialog
      open={open}
      onClose={onClose}
      holdsForm
      title={<>Cancel {purchase.toolName}?</>}
      description={<span className="break-all">{purchase.userEmail}</span>}
    >
      <DialogContent<Cancellation>
        href={`/admin/purchases/${purchase.id}/cancellation`}
        open={open}
        gone="This purchase does not exist any more."
      >
        {(cancellation) => <CancelForm cancellation={cancellation} onClose={onClose} />}
      </DialogContent>
    </AdminDialog>
  );
}
