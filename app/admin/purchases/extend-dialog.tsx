import { useState } from "react";
import type { ListedPurchase } from "#core/passes/list-purchases.server.ts";
import { extendPurchaseSchema, parseExpiryDay, setPurchaseExpirySchema } from "#core/passes/schemas.ts";
import { addDays, endOfDay, formatDate, hasNoEnd } from "#core/time.ts";
import { TextField } from "../../ui/forms/text-field.tsx";
import { useShared } from "../../use-shared.ts";
import { AdminDialog } from "../dialogs/admin-dialog.tsx";
import { FormFrame, useAdminForm } from "../forms/admin-form.tsx";
import { AdminDate } from "../lists/list-table.tsx";
import { ChoiceCards } from "./choice-cards.tsx";

type Mode = "days" | "date";

interface ExtendDialogProps {
  /** As the list showed it when the dialog was opened. */
  purchase: ListedPurchase;
  open: boolean;
  onClose: () => void;
}

/** Changes the end of a pass: by a number of days, or to a date. */
export function ExtendDialog({ purchase, open, onClose }: ExtendDialogProps) {
  return (
    <AdminDialog
      open={open}
      onClose={onClose}
      holdsForm
      title={<span>{`Extend ${purchase.toolName}`}</span>}
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
  const form = { purchaseId: id, onDone: onClose };
  return (
    <div className="flex flex-col gap-4">
      <p className="text-sm">
        <span>{isExpired ? "It expired " : hasNoEnd(expiresAt) ? "Its end: " : "It ends "}</span>
        <AdminDate date={expiresAt} />
        <span>{isExpired ? ". If you extend it, it starts again now." : "."}</span>
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

const SUGGESTED_DAYS = "7";

interface ExtendDaysFormProps {
  purchaseId: string;
  expiresAt: Date;
  /** The action of the page that extends a purchase. */
  intent: string;
  onDone: () => void;
  /** For a form that is a part of a dialog. */
  onCancel?: () => void;
}

/** Asks by how many days a pass is extended. */
function ExtendDaysForm({ purchaseId, expiresAt, intent, onDone, onCancel }: ExtendDaysFormProps) {
  const { timeZone, now } = useShared();
  const [text, setText] = useState(SUGGESTED_DAYS);
  const { form, fields, busy } = useAdminForm({
    id: `extend-${purchaseId}`,
    intent,
    schema: extendPurchaseSchema,
    defaultValue: { purchaseId, days: text },
    onDone,
  });
  const parsed = extendPurchaseSchema.shape.days.safeParse(text);
  const from = expiresAt > new Date(now) ? expiresAt : new Date(now);
  const newEnd = parsed.success && !hasNoEnd(from) ? formatDate(addDays(from, parsed.data), timeZone) : null;
  return (
    <FormFrame form={form} busy={busy} submitLabel="Extend" busyLabel="Extending..." onCancel={onCancel}>
      <input type="hidden" name={fields.purchaseId.name} value={purchaseId} />
      <TextField
        label="Days"
        id={fields.days.id}
        name={fields.days.name}
        defaultValue={fields.days.initialValue}
        errors={fields.days.errors}
        onChange={(event) => setText(event.currentTarget.value)}
        hint={newEnd === null ? "A whole number of days." : `The pass then ends ${newEnd}.`}
        inputMode="numeric"
        autoComplete="off"
      />
    </FormFrame>
  );
}

interface ExpiryDateFormProps {
  purchaseId: string;
  expiresAt: Date | null;
  /** The action of the page that sets an expiry. */
  intent: string;
  onDone: () => void;
  /** For a form that is a part of a dialog. */
  onCancel?: () => void;
}

/** Asks for the last day of a pass. */
export function ExpiryDateForm({ purchaseId, expiresAt, intent, onDone, onCancel }: ExpiryDateFormProps) {
  const { timeZone, now } = useShared();
  const [text, setText] = useState(() => (expiresAt ? formatDay(expiresAt, timeZone) : ""));
  const { form, fields, busy } = useAdminForm({
    id: `expiry-${purchaseId}`,
    intent,
    schema: setPurchaseExpirySchema,
    defaultValue: { purchaseId, date: text },
    onDone,
  });
  const day = parseExpiryDay(text.trim());
  const isOver = day !== null && endOfDay(day, timeZone) <= new Date(now);
  return (
    <FormFrame form={form} busy={busy} submitLabel="Set Date" busyLabel="Setting..." onCancel={onCancel}>
      <input type="hidden" name={fields.purchaseId.name} value={purchaseId} />
      <TextField
        label="New expiry date"
        id={fields.date.id}
        name={fields.date.name}
        defaultValue={fields.date.initialValue}
        errors={fields.date.errors}
        onChange={(event) => setText(event.currentTarget.value)}
        placeholder="DD-MM-YYYY"
        hint={
          isOver
            ? "This day is over: the pass ends at once. It cannot end before it started."
            : "DD-MM-YYYY. The pass ends at the end of that day."
        }
        autoComplete="off"
      />
    </FormFrame>
  );
}

/** DD-MM-YYYY in the given time zone, as the form reads it. */
function formatDay(date: Date, timeZone: string): string {
  const [day, month] = formatDate(date, timeZone).split("/");
  const year = new Intl.DateTimeFormat("en-GB", { timeZone, year: "numeric" }).format(date);
  return `${day}-${month}-${year}`;
}
