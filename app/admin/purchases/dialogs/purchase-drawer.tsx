import type { PurchaseTimeline } from "#core/pass-management/get-purchase-timeline.server.ts";
import { AdminDialog } from "../../dialogs/admin-dialog.tsx";
import { DialogContent } from "../../dialogs/dialog-content.tsx";
import { Timeline } from "../timeline/timeline.tsx";
import type { PurchaseDialogProps } from "./purchase-dialog-props.ts";
import { PurchaseFacts } from "./purchase-facts.tsx";

/** Everything about one purchase. */
export function PurchaseDrawer({ purchase, open, onClose }: PurchaseDialogProps) {
  return (
    <AdminDialog
      open={open}
      onClose={onClose}
      size="side"
      title={purchase.toolName}
      description={<span className="break-all">{purchase.userEmail}</span>}
    >
      <DialogContent<PurchaseTimeline>
        href={`/admin/purchases/${purchase.id}/timeline`}
        open={open}
        gone="This purchase does not exist any more."
      >
        {(timeline) => (
          <div className="flex flex-col gap-6">
            <PurchaseFacts {...timeline} />
            <Timeline {...timeline} />
          </div>
        )}
      </DialogContent>
    </AdminDialog>
  );
}
