import { useState } from "react";
import { parseExpiryDay, setPurchaseExpirySchema } from "#core/passes/schemas.ts";
import { endOfDay, formatDate } from "#core/time.ts";
import { TextField } from "../../ui/forms/text-field.tsx";
import { useShared } from "../../use-shared.ts";
import { FormFrame } from "../forms/form-frame.tsx";
import { useAdminForm } from "../forms/use-admin-form.ts";

interface ExpiryDateFormProps {
  purchaseId: string;
  expiresAt: Date | null;
  /** The action of the page that sets an expiry. */
  intent: string;
  onDone: () => void;
  onCancel: () => void;
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
