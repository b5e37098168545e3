import { getFormProps } from "@conform-to/react";
import { useState } from "react";
import { formatPaise } from "#core/money.ts";
import type { ListedPurchase } from "#core/passes/list-purchases.server.ts";
import type { Cancellation } from "#core/payments/cancel-purchase.server.ts";
import { cancelWithoutRefundSchema, cancelWithRefundSchema } from "#core/payments/schemas.ts";
import { BANKS_TAKE } from "#core/refund-reasons.ts";
import { Banner } from "../../ui/banner.tsx";
import { Button } from "../../ui/button.tsx";
import { TextAreaField } from "../../ui/forms/fields.tsx";
import { AdminDialog } from "../dialogs/admin-dialog.tsx";
import { DialogContent } from "../dialogs/dialog-content.tsx";
import { FormErrors, useAdminForm } from "../forms/admin-form.tsx";
import { ChoiceCards } from "./choice-cards.tsx";

interface CancelDialogProps {
  /** As the list showed it when the dialog was opened. */
  purchase: ListedPurchase;
  open: boolean;
  onClose: () => void;
}

/** Ends a purchase for good. It says what will happen, and how much money goes back. */
export function CancelDialog({ purchase, open, onClose }: CancelDialogProps) {
  return (
    <AdminDialog
      open={open}
      onClose={onClose}
      holdsForm
      title={<span>{`Cancel ${purchase.toolName}?`}</span>}
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

type Mode = "with-refund" | "without-refund";

interface CancelFormProps {
  cancellation: Cancellation;
  onClose: () => void;
}

/** What the cancellation does, the choice about the payment, and the reason. */
function CancelForm({ cancellation, onClose }: CancelFormProps) {
  const { refundablePaise, dispute, state, source } = cancellation;
  const [chosen, setChosen] = useState<Mode>("with-refund");
  const [reason, setReason] = useState("");
  const canRefund = refundablePaise > 0 && dispute !== "open";
  if (isOver(state) && !canRefund) return <NothingToCancel state={state} onClose={onClose} />;
  // A payment may be refunded elsewhere while the dialog is open.
  const mode = canRefund ? chosen : "without-refund";
  const amount = formatPaise(refundablePaise);
  return (
    <div className="flex flex-col gap-4">
      <p className="text-sm">{source === "import" ? describeEndOfImported(state) : describeEnd(state)}</p>
      {dispute === null ? null : (
        <Banner tone="warning">
          {dispute === "open"
            ? "The buyer has disputed the payment at the bank. The shop refunds nothing until the bank has decided, because the bank may pay the buyer back too."
            : "The bank reports this payment as fraud. Refund it: the payment provider leaves that to you."}
        </Banner>
      )}
      {canRefund && !isOver(state) ? (
        <ChoiceCards<Mode>
          legend="What happens to the payment"
          value={mode}
          onChange={setChosen}
          choices={[
            { value: "with-refund", label: `Refund ${amount}`, hint: refundHint(cancellation) },
            {
              value: "without-refund",
              label: "Do not refund",
              hint: `The shop keeps ${amount}. The reason is written to the audit log.`,
            },
          ]}
        />
      ) : null}
      {canRefund && isOver(state) ? (
        <p className="text-sm">
          {`The shop has kept ${amount} and can still refund it. ${refundHint(cancellation)}`}
        </p>
      ) : null}
      <ReasonForm
        key={mode}
        purchaseId={cancellation.purchaseId}
        mode={mode}
        reason={reason}
        onReason={setReason}
        submitLabel={submitLabel({ mode, amount, canRefund, isOver: isOver(state) })}
        onClose={onClose}
      />
    </div>
  );
}

interface ReasonFormProps {
  purchaseId: string;
  mode: Mode;
  /** What was typed before the mode was changed. */
  reason: string;
  onReason: (reason: string) => void;
  submitLabel: string;
  onClose: () => void;
}

function ReasonForm({ purchaseId, mode, reason, onReason, submitLabel, onClose }: ReasonFormProps) {
  const { form, fields, busy } = useAdminForm({
    id: `cancel-${mode}-${purchaseId}`,
    intent: `cancel-${mode}`,
    schema: mode === "with-refund" ? cancelWithRefundSchema : cancelWithoutRefundSchema,
    defaultValue: { purchaseId, reason },
    onDone: onClose,
  });
  return (
    <form {...getFormProps(form)} className="flex flex-col gap-4">
      <FormErrors errors={form.errors} />
      <input type="hidden" name={fields.purchaseId.name} value={purchaseId} />
      <TextAreaField
        label={mode === "with-refund" ? "Reason (optional)" : "Reason"}
        id={fields.reason.id}
        name={fields.reason.name}
        defaultValue={fields.reason.initialValue}
        errors={fields.reason.errors}
        onChange={(event) => onReason(event.currentTarget.value)}
        rows={2}
      />
      <div className="flex flex-wrap justify-end gap-2">
        <Button onClick={onClose}>Go Back</Button>
        <Button type="submit" variant="danger" busy={busy}>
          {submitLabel}
        </Button>
      </div>
    </form>
  );
}

function refundHint({ testMode, paidByHand }: Cancellation): string {
  if (paidByHand)
    return "It was paid by hand, so you give it back yourself. A line in Overview waits until you enter how.";
  return testMode
    ? "It was a test payment: no money moves."
    : `It goes back to the buyer through the payment provider. ${BANKS_TAKE}`;
}

function submitLabel(shown: { mode: Mode; amount: string; canRefund: boolean; isOver: boolean }): string {
  if (shown.isOver) return `Refund ${shown.amount}`;
  if (!shown.canRefund) return "Cancel Purchase";
  return shown.mode === "with-refund"
    ? `Cancel Purchase and Refund ${shown.amount}`
    : "Cancel Purchase Without Refund";
}

function NothingToCancel({ state, onClose }: { state: Cancellation["state"]; onClose: () => void }) {
  return (
    <div className="flex flex-col gap-4 text-sm">
      <p>
        {state === "refunded"
          ? "This purchase has already been refunded. There is nothing left to cancel."
          : "This purchase has already ended, and there is nothing left to refund."}
      </p>
      <div className="flex justify-end">
        <Button onClick={onClose}>Close</Button>
      </div>
    </div>
  );
}

type State = Cancellation["state"];

/** What the cancellation of a purchase ends. */
function describeEnd(state: State): string {
  switch (state) {
    case "active":
      return "The access ends at once and for good. If the buyer has renewed it, the renewal starts now. The unit goes back into stock, unless a code of its own was already shown.";
    case "expired":
      return "This pass has already expired. If you cancel it, it can no longer be extended.";
    case "held":
      return "The buyer is paying. The checkout ends at once; a payment that arrives anyway is refunded.";
    case "hold-released":
    case "replaced":
      return "Nothing was paid. If you cancel it, a late payment is refunded.";
    case "refunded":
    case "revoked":
      return "This purchase has already ended.";
  }
}

/** The same for an imported purchase: it took no stock, and its payment was the old shop's. */
function describeEndOfImported(state: State): string {
  if (state === "active")
    return "The access ends at once and for good. If the buyer has renewed it, the renewal starts now. The old shop took the payment, so there is nothing to refund here.";
  if (state === "expired")
    return "This pass has already expired. If you cancel it, it can no longer be extended. There is nothing to refund here.";
  return "It was not paid in the old shop. If you cancel it, its status can no longer be set.";
}

/** Whether there is nothing left to end. */
function isOver(state: State): boolean {
  return state === "revoked" || state === "refunded";
}
