import { useState } from "react";
import type { ListedPurchase } from "#core/passes/list-purchases.server.ts";
import { IMPORTED_STATUSES, setImportedStatusSchema } from "#core/passes/schemas.ts";
import { formatDate, hasNoEnd } from "#core/time.ts";
import { SelectField } from "../../ui/forms/fields.tsx";
import { useShared } from "../../use-shared.ts";
import { AdminDialog } from "../dialogs/admin-dialog.tsx";
import { FormFrame, fieldProps, useAdminForm } from "../forms/admin-form.tsx";

interface StatusDialogProps {
  /** As the list showed it when the dialog was opened. */
  purchase: ListedPurchase;
  open: boolean;
  onClose: () => void;
}

/** Sets the status of an imported purchase. */
export function StatusDialog({ purchase, open, onClose }: StatusDialogProps) {
  return (
    <AdminDialog
      open={open}
      onClose={onClose}
      holdsForm
      title={<span>{`Set status of ${purchase.toolName}`}</span>}
      description={<span className="break-all">{purchase.userEmail}</span>}
    >
      <StatusForm purchase={purchase} onClose={onClose} />
    </AdminDialog>
  );
}

type Status = (typeof IMPORTED_STATUSES)[number];

const LABELS: Record<Status, string> = {
  pending: "Pending",
  completed: "Completed",
  active: "Active (the same as Completed)",
  failed: "Failed",
};
const OPTIONS = IMPORTED_STATUSES.map((value) => ({ value, label: LABELS[value] }));

function StatusForm({ purchase, onClose }: { purchase: ListedPurchase; onClose: () => void }) {
  const { id, calledStatus } = purchase;
  const { timeZone, now } = useShared();
  const [chosen, setChosen] = useState<string>(calledStatus);
  const { form, fields, busy } = useAdminForm({
    id: `status-${id}`,
    intent: "set-status",
    schema: setImportedStatusSchema,
    defaultValue: { purchaseId: id, status: calledStatus },
    onDone: onClose,
  });
  return (
    <FormFrame form={form} busy={busy} submitLabel="Set Status" busyLabel="Setting...">
      <input type="hidden" name={fields.purchaseId.name} value={id} />
      <SelectField
        label="Status"
        {...fieldProps(fields.status)}
        options={OPTIONS}
        onChange={(event) => setChosen(event.currentTarget.value)}
        hint={whatFollows(chosen, purchase.expiresAt, { timeZone, now: new Date(now) })}
      />
    </FormFrame>
  );
}

/** What the status means for the buyer. */
function whatFollows(status: string, end: Date | null, { timeZone, now }: { timeZone: string; now: Date }) {
  if (status === "pending")
    return "The old shop recorded no payment. The buyer has no access and cannot pay now.";
  if (status === "failed") return "The buyer has no access.";
  if (end === null) return "The buyer has access from the purchase date for the number of days bought.";
  if (hasNoEnd(end)) return "The buyer has access without an end.";
  return end > now
    ? `The buyer has access until ${formatDate(end, timeZone)}.`
    : `This pass ended on ${formatDate(end, timeZone)}. To give access, set the status and then extend the pass.`;
}
