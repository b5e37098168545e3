import { formatPaise } from "#core/money.ts";
import type { PurchaseTimeline } from "#core/passes/get-purchase-timeline.server.ts";
import type { ListedPurchase } from "#core/passes/list-purchases.server.ts";
import { accessEndOf } from "#core/passes/purchase-states.ts";
import type { TimelineEntry } from "#core/passes/purchase-timeline.ts";
import { joinToolSchema } from "#core/passes/schemas.ts";
import { formatDays } from "#core/time.ts";
import { DateTime } from "../../time/date-time.tsx";
import { Button } from "../../ui/button.tsx";
import { classNames } from "../../ui/class-names.ts";
import { Fact } from "../../ui/fact.tsx";
import { SelectField } from "../../ui/forms/fields.tsx";
import { Money } from "../../ui/text.tsx";
import { useShared } from "../../use-shared.ts";
import { AdminDialog } from "../dialogs/admin-dialog.tsx";
import { DialogContent } from "../dialogs/dialog-content.tsx";
import { useAdminAction } from "../forms/admin-action.tsx";
import { FormFrame, fieldProps, useAdminForm } from "../forms/admin-form.tsx";
import { WAY_NAMES } from "../forms/transfer-fields.tsx";
import { OldShopDocuments } from "../imports/old-shop-documents.tsx";
import { AdminDate } from "../lists/list-table.tsx";
import { canSetStatus, nameOfSource, PaidOtherwise, PurchaseStatus, TestBadge } from "./purchase-status.tsx";
import type { PurchaseDetails } from "./timeline.ts";
import { describeEntry, type EntryTone } from "./timeline-words.ts";

interface PurchaseDrawerProps {
  /** As the list showed it when the dialog was opened. */
  purchase: ListedPurchase;
  open: boolean;
  /** Asks for the status of an imported purchase instead. */
  onSetStatus: () => void;
  onClose: () => void;
}

/** Everything about one purchase. */
export function PurchaseDrawer({ purchase, open, onSetStatus, onClose }: PurchaseDrawerProps) {
  return (
    <AdminDialog
      open={open}
      onClose={onClose}
      size="side"
      title={purchase.toolName}
      description={<span className="break-all">{purchase.userEmail}</span>}
    >
      <DialogContent<PurchaseDetails>
        href={`/admin/purchases/${purchase.id}/timeline`}
        open={open}
        gone="This purchase does not exist any more."
      >
        {(timeline) => (
          <div className="flex flex-col gap-6">
            <PurchaseFacts {...timeline} listed={purchase} />
            {canSetStatus(timeline.purchase) ? (
              <div>
                <Button size="small" onClick={onSetStatus}>
                  Set Status
                </Button>
              </div>
            ) : null}
            {timeline.gateway === null || timeline.gateway === "manual" ? null : (
              <AskGateway gateway={timeline.gateway} purchaseId={timeline.purchase.id} />
            )}
            {timeline.toolsToJoin.length > 0 ? (
              <JoinTool purchase={timeline.purchase} tools={timeline.toolsToJoin} onClose={onClose} />
            ) : null}
            <Timeline {...timeline} />
            <OldShopDocuments originals={timeline.originals} />
          </div>
        )}
      </DialogContent>
    </AdminDialog>
  );
}

/** Asks the payment provider now, for a buyer who says that they have paid. The result is in the banner and the timeline. */
function AskGateway({ gateway, purchaseId }: { gateway: string; purchaseId: string }) {
  const { run, busy } = useAdminAction();
  return (
    <div>
      <Button size="small" busy={busy} onClick={() => run("ask-gateway", { purchaseId })}>
        {gateway === "razorpay" ? "Ask Razorpay now" : "Ask the test gateway now"}
      </Button>
    </div>
  );
}

/** The facts of a purchase: what, for how much, by whom. */
function PurchaseFacts({
  purchase,
  payer,
  transfers,
  listed,
}: Pick<PurchaseTimeline, "purchase" | "payer" | "transfers"> & { listed: ListedPurchase }) {
  const {
    amountPaise,
    discountPaise,
    listPricePaise,
    couponCode,
    cameFrom,
    optionLabel,
    validityDays,
    notes,
  } = purchase;
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
        <PaidOtherwise {...listed} />
      </Fact>
      <Fact name="Purchased">
        <DateTime date={purchase.createdAt} />
      </Fact>
      <Fact name="Expires">
        <AdminDate date={accessEndOf(purchase)} missing="N/A" />
      </Fact>
      <Fact name="Option">{optionLabel ?? formatDays(validityDays)}</Fact>
      <Fact name="Source">{nameOfSource(purchase)}</Fact>
      {couponCode === null ? null : (
        <Fact name="Coupon">{`${couponCode} (−${formatPaise(discountPaise)})`}</Fact>
      )}
      {cameFrom === null ? null : (
        <Fact name="Came from">
          <span translate="no" className="wrap-anywhere">
            {cameFrom}
          </span>
        </Fact>
      )}
      {notes === null ? null : <Fact name="Notes">{notes}</Fact>}
      <Fact name="Order number">
        <code className="select-all font-mono">{purchase.orderNumber}</code>
      </Fact>
      {payer.length === 0 ? null : (
        <Fact name="Paid by" wide>
          <span className="wrap-anywhere">{payer.join(" · ")}</span>
        </Fact>
      )}
      {transfers.map(({ isGivenBack, way, reference, payerName }) => (
        <Fact key={String(isGivenBack)} name={isGivenBack ? "Given back" : "Paid by hand"} wide>
          <span translate="no" className="wrap-anywhere">
            {[WAY_NAMES[way], reference, payerName].filter(Boolean).join(" · ")}
          </span>
        </Fact>
      ))}
      <Fact name="Purchase ID" wide>
        {purchase.id}
      </Fact>
      <Fact name="User ID" wide>
        {purchase.userId}
      </Fact>
    </dl>
  );
}

/** For an imported purchase whose tool the shop did not have. */
function JoinTool({
  purchase: { id, toolName },
  tools,
  onClose,
}: Pick<PurchaseDetails, "purchase"> & { tools: PurchaseDetails["toolsToJoin"]; onClose: () => void }) {
  const { form, fields, busy } = useAdminForm({
    id: `join-tool-${id}`,
    intent: "join-tool",
    schema: joinToolSchema,
    defaultValue: { purchaseId: id, toolId: "" },
    onDone: onClose,
  });
  const options = tools.map((tool) => ({ value: tool.id, label: tool.name }));
  return (
    <FormFrame form={form} busy={busy} submitLabel="Join" busyLabel="Joining...">
      <input type="hidden" name={fields.purchaseId.name} value={id} />
      <SelectField
        label="Tool of this purchase"
        {...fieldProps(fields.toolId)}
        options={[{ value: "", label: "Choose a tool" }, ...options]}
        hint={`The import found no tool named “${toolName}”. Without one, the buyer is asked to pay again.`}
      />
    </FormFrame>
  );
}

const DOTS: Record<EntryTone, string> = {
  good: "border-green bg-green",
  bad: "border-red bg-red",
  plain: "border-field bg-card",
};

/** Everything that happened to a purchase, oldest first. */
function Timeline({ entries, leftOut }: Pick<PurchaseTimeline, "entries" | "leftOut">) {
  return (
    <section aria-label="Timeline" className="flex flex-col gap-3">
      <h3 className="text-base">Timeline</h3>
      {leftOut > 0 ? <p className="text-muted text-xs">Older entries are not shown.</p> : null}
      <ol className="ml-1.5 flex flex-col gap-4 border-line border-l">
        {entries.map((entry, index) => (
          // Entries only ever get more at the end, and have no id of their own.
          // biome-ignore lint/suspicious/noArrayIndexKey: see above
          <Entry key={`${entry.kind} ${entry.at.getTime()} ${index}`} entry={entry} />
        ))}
      </ol>
    </section>
  );
}

function Entry({ entry }: { entry: TimelineEntry }) {
  const { timeZone } = useShared();
  const { title, details, tone } = describeEntry(entry, timeZone);
  return (
    <li className="relative pl-5 text-sm">
      <span
        aria-hidden="true"
        className={classNames("-left-1.5 absolute top-1.5 size-3 rounded-full border-2", DOTS[tone])}
      />
      <p className="font-medium">{title}</p>
      {details.map((detail) => (
        <p key={detail} className="wrap-anywhere text-muted text-xs">
          {detail}
        </p>
      ))}
      <p className="text-muted text-xs">
        <DateTime date={entry.at} />
      </p>
    </li>
  );
}
