import type { Way } from "#core/payments/schemas.ts";
import { SelectField } from "../../ui/forms/fields.tsx";
import { TextField } from "../../ui/forms/text-field.tsx";
import type { fieldProps } from "./admin-form.tsx";

type Field = ReturnType<typeof fieldProps>;

export const WAY_NAMES: Record<Way, string> = {
  upi: "UPI",
  cash: "Cash",
  "bank-transfer": "Bank transfer",
  other: "Other",
};

/** How money moved without a gateway: the way, and the reference that it has there. */
export function TransferFields({ way, reference }: { way: Field; reference: Field }) {
  return (
    <>
      <SelectField
        label="How"
        {...way}
        options={Object.entries(WAY_NAMES).map(([value, label]) => ({ value, label }))}
      />
      <TextField
        label="Reference"
        {...reference}
        autoComplete="off"
        hint="The UTR or transaction ID. Cash may have none."
      />
    </>
  );
}
