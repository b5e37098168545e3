import { useState } from "react";
import { useLoaderData, useSearchParams } from "react-router";
import { sellByHandSchema } from "#core/checkout/sell-by-hand-schema.ts";
import { formatPaise } from "#core/money.ts";
import type { ToolToAssign } from "#core/passes/give-pass.server.ts";
import type { ListedUnknownPayment } from "#core/payments/unknown-payments.server.ts";
import { formatDays } from "#core/time.ts";
import { CheckField, SelectField } from "../../ui/forms/fields.tsx";
import { TextField } from "../../ui/forms/text-field.tsx";
import { checkProps, FormFrame, fieldProps, useAdminForm } from "../forms/admin-form.tsx";
import { TransferFields } from "../forms/transfer-fields.tsx";

interface SellByHandFormProps {
  userId: string;
  tool: ToolToAssign;
  /** The pass begins when the running one ends. */
  renews: boolean;
  onDone: () => void;
  onCancel: () => void;
}

/** The payment of a restored shop that the address names, while it waits for an admin; null if there is none. */
export function useUnknownPayment(): ListedUnknownPayment | null {
  const [params] = useSearchParams();
  const loaded = useLoaderData<{ unknownPayments: ListedUnknownPayment[] } | null>();
  return (
    (loaded?.unknownPayments ?? []).find(
      ({ id, state }) => id === params.get("payment") && state === "waiting",
    ) ?? null
  );
}

/** Asks what a user has bought and paid outside of the shop, or with a payment that a restored shop does not know. */
export function SellByHandForm({ userId, tool, renews, onDone, onCancel }: SellByHandFormProps) {
  const options = tool.pricingOptions;
  const payment = useUnknownPayment();
  const days = payment?.suggested.validityDays ?? null;
  const first = days === null ? options[0] : options.find(({ validityDays }) => validityDays === days);
  const [chosen, setChosen] = useState(first?.label ?? "");
  const option = options.find(({ label }) => label === chosen);
  const { form, fields, busy } = useAdminForm({
    id: `sell-${tool.id}`,
    intent: "sell-by-hand",
    schema: sellByHandSchema,
    defaultValue: {
      userId,
      toolId: tool.id,
      option: chosen,
      validityDays: String(days ?? tool.validityDays),
      amount: inRupees(payment?.amountPaise ?? options[0]?.pricePaise ?? tool.pricePaise),
      way: payment === null ? "upi" : "other",
      reference: payment?.gatewayPaymentId ?? "",
      sendMail: true,
    },
    onDone,
  });
  const amount = fieldProps(fields.amount);
  return (
    <FormFrame
      form={form}
      busy={busy}
      submitLabel={renews ? "Renew" : "Record the Sale"}
      busyLabel="Recording..."
      onCancel={onCancel}
    >
      <input type="hidden" name="userId" value={userId} />
      <input type="hidden" name="toolId" value={tool.id} />
      {renews ? <input type="hidden" name="renews" value="true" /> : null}
      <p className="text-muted text-sm">
        {renews
          ? "The new pass starts when the running one ends. It takes one unit of stock and counts as revenue."
          : "The pass starts now, takes one unit of stock and counts as revenue. If the buyer has a payment window open for this tool, a payment there is refunded."}
      </p>
      {payment === null ? null : (
        <p className="text-muted text-sm">
          The payment provider has the money and knows who paid, so “How” and the name are not recorded. A
          refund goes back through the provider.
        </p>
      )}
      <div className="grid gap-4 sm:grid-cols-2">
        {options.length === 0 ? null : (
          <SelectField
            label="Option"
            {...fieldProps(fields.option)}
            onChange={(event) => setChosen(event.currentTarget.value)}
            options={[
              ...options.map(({ label, pricePaise }) => ({
                value: label,
                label: `${label} · ${formatPaise(pricePaise)}`,
              })),
              { value: "", label: "Other number of days" },
            ]}
          />
        )}
        {option ? null : (
          <TextField
            label="Days"
            {...fieldProps(fields.validityDays)}
            inputMode="numeric"
            autoComplete="off"
            hint={`The tool’s own: ${formatDays(tool.validityDays)}.`}
          />
        )}
        <TextField
          label="Amount paid (₹)"
          {...amount}
          // Another option has another price.
          key={chosen}
          defaultValue={option && payment === null ? inRupees(option.pricePaise) : amount.defaultValue}
          inputMode="decimal"
          autoComplete="off"
          required
        />
        <TransferFields way={fieldProps(fields.way)} reference={fieldProps(fields.reference)} />
        <TextField
          label="Name of the payer (optional)"
          {...fieldProps(fields.payerName)}
          autoComplete="off"
        />
        <TextField
          label="Coupon (optional)"
          {...fieldProps(fields.coupon)}
          autoComplete="off"
          hint="If you promised one: it counts as used. The amount is what was paid with it."
        />
      </div>
      <CheckField label="Send the buyer a receipt by email" {...checkProps(fields.sendMail)} />
    </FormFrame>
  );
}

/** Paise as a form shows them: 14950 → "149.5". The price of a free tool is no amount that was paid. */
const inRupees = (paise: number) => (paise === 0 ? "" : String(paise / 100));
