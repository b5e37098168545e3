import { formatPaise } from "#core/money.ts";
import type { PurchaseTimeline } from "#core/passes/get-purchase-timeline.server.ts";
import { accessEndOf } from "#core/passes/purchase-states.ts";
import { formatDays } from "#core/time.ts";
import { Fact } from "../../../ui/fact.tsx";
import { Money } from "../../../ui/money.tsx";
import { AdminDialog } from "../../dialogs/admin-dialog.tsx";
import { DialogContent } from "../../dialogs/dialog-content.tsx";
import { AdminDate } from "../../lists/admin-date.tsx";
import { PurchaseStatus, TestBadge } from "../../passes/purchase-status.tsx";
import { SOURCE_NAMES } from "../purchase-words.ts";
import { Timeline } from "../timeline/timeline.tsx";
import type { PurchaseDialogProps } from "./purchase-dialog-props.ts";

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

/** The facts of a purchase: what, for how much, by whom. */
function PurchaseFacts({ purchase }: Pick<PurchaseTimeline, "purchase">) {
  const { amountPaise, discountPaise, listPricePaise, couponCode, optionLabel, validityDays, notes } =
    purchase;
  return (
    <dl className="grid grid-cols-2 gap-x-4 gap-y-3 text-sm">
      <Fact name="Status">
        <span className="flex flex-wrap items-center gap-1.5">
          <PurchaseStatus {...purchase} />
          {purchase.testMode ? <TestBadge /> : null}
        </span>
      </Fact>
      <Fact name="Price">
        <Money className="font-semibold">{formatPaise(amountPaise)}</Money>{" "}
        {amountPaise < listPricePaise ? <Money struck>{formatPaise(listPricePaise)}</Money> : null}
      </Fact>
      <Fact name="Purchased">
        <AdminDate date={purchase.createdAt} />
      </Fact>
      <Fact name="Expires">
        <AdminDate date={accessEndOf(purchase)} missing="N/A" />
      </Fact>
      <Fact name="Option">{optionLabel ?? formatDays(validityDays)}</Fact>
      <Fact name="Source">{SOURCE_NAMES[purchase.source]}</Fact>
      {couponCode === null ? null : (
        <Fact name="Coupon">
          {couponCode} (−{formatPaise(discountPaise)})
        </Fact>
      )}
      {notes === null ? null : <Fact name="Notes">{notes}</Fact>}
      <Fact name="Purchase ID" wide>
        {purchase.id}
      </Fact>
      <Fact name="User ID" wide>
        {purchase.userId}
      </Fact>
    </dl>
  );
}
