import { useState } from "react";
import type { ListedPurchase } from "#core/passes/list-purchases.server.ts";
import { AdminDialog } from "../../dialogs/admin-dialog.tsx";
import { AdminDate } from "../../lists/admin-date.tsx";
import { ExpiryDateForm } from "../../passes/expiry-date-form.tsx";
import { ExtendDaysForm } from "../../passes/extend-days-form.tsx";
import { ChoiceCards } from "./choice-cards.tsx";
import type { PurchaseDialogProps } from "./purchase-dialog-props.ts";

type Mode = "days" | "date";

/** Changes the end of a pass: by a number of days, or to a date. */
export function ExtendDialog({ purchase, open, onClose }: PurchaseDialogProps) {
  return (
    <AdminDialog
      open={open}
      onClose={onClose}
      holdsForm
      title={<>Extend {purchase.toolName}</>}
      description={<span className="break-all">{purchase.userEmail}</span>}
    >
      <ExtendForms purchase={purchase} onClose={onClose} />
    </AdminDialog>
  );
}

function ExtendForms({ purchase, onClose }: { purchase: ListedPurchase; onClose: () => void }) {
  const [mode, setMode] = useState<Mode>("days");
  const { id, expiresAt, isExpired } = purchase;
  if (expiresAt === null) return <p className="text-muted">This purchase has no pass yet.</p>;
  const form = { purchaseId: id, onDone: onClose, onCancel: onClose };
  return (
    <div className="flex flex-col gap-4">
      <p className="text-sm">
        {isExpired ? "It expired " : "It ends "}
        <AdminDate date={expiresAt} />
        {isExpired ? ". If you extend it, it starts again now." : "."}
      </p>
      <ChoiceCards<Mode>
        legend="How to extend"
        value={mode}
        onChange={setMode}
        choices={[
          { value: "days", label: "By days" },
          { value: "date", label: "Until a date" },
        ]}
      />
      {mode === "days" ? (
        <ExtendDaysForm {...form} expiresAt={expiresAt} intent="extend" />
      ) : (
        <ExpiryDateForm {...form} expiresAt={expiresAt} intent="set-expiry" />
      )}
    </div>
  );
}
