import { useState } from "react";
import { extendPurchaseSchema } from "#core/passes/schemas.ts";
import { addDays, formatDate } from "#core/time.ts";
import { TextField } from "../../ui/forms/text-field.tsx";
import { useShared } from "../../use-shared.ts";
import { FormFrame } from "../forms/form-frame.tsx";
import { useAdminForm } from "../forms/use-admin-form.ts";

const SUGGESTED_DAYS = "7";

interface ExtendDaysFormProps {
  purchaseId: string;
  expiresAt: Date;
  /** The action of the page that extends a purchase. */
  intent: string;
  onDone: () => void;
  onCancel: () => void;
}

/** Asks by how many days a pass is extended. */
export function ExtendDaysForm({ purchaseId, expiresAt, intent, onDone, onCancel }: ExtendDaysFormProps) {
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
  const newEnd = parsed.success ? formatDate(addDays(from, parsed.data), timeZone) : null;
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
