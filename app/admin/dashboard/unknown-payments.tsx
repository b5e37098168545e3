import { type RefObject, useRef } from "react";
import { formatPaise } from "#core/money.ts";
import { assignPaymentSchema } from "#core/payments/schemas.ts";
import type {
  ListedUnknownPayment,
  UnknownPayments as Payments,
} from "#core/payments/unknown-payments.server.ts";
import { BANKS_TAKE } from "#core/refund-reasons.ts";
import { formatDateTime, formatDays } from "#core/time.ts";
import { Button } from "../../ui/button.tsx";
import { SelectField } from "../../ui/forms/fields.tsx";
import { TextField } from "../../ui/forms/text-field.tsx";
import { Fold } from "../../ui/regions.tsx";
import { Money } from "../../ui/text.tsx";
import { DateText } from "../../ui/time.tsx";
import { useShared } from "../../use-shared.ts";
import { AdminDialog, useOpened } from "../dialogs/admin-dialog.tsx";
import { ConfirmAction } from "../forms/admin-action.tsx";
import { FormFrame, fieldProps, useAdminForm } from "../forms/admin-form.tsx";
import { RESTORED_SHOP_ACTION } from "./restored-shop.tsx";

type Payment = ListedUnknownPayment;

/** Payments whose purchase is missing from the backup. Renders nothing without one. */
export function UnknownPayments({
  payments,
  total,
  tools,
  isConfirmed,
}: Payments & { isConfirmed: boolean }) {
  const assign = useOpened<Payment>();
  const refund = useOpened<Payment>();
  const firstField = useRef<HTMLInputElement>(null);
  const more = total - payments.length;
  return (
    <>
      {total === 0 ? null : (
        <Fold
          urgent
          startsOpen
          summary={
            <strong className="font-semibold">
              {`${total === 1 ? "1 payment is" : `${total} payments are`} missing from the backup`}
            </strong>
          }
        >
          <section aria-label="Payments that are missing from the backup" className="px-4 pb-3 text-sm">
            <p>
              {`${total === 1 ? "It was" : "They were"} made after the backup, so the shop no longer knows what was bought. ${
                isConfirmed
                  ? "Assign each payment to its buyer, who then gets the tool, or refund it."
                  : "You can assign or refund each payment once you have confirmed that this is now the shop."
              }`}
            </p>
            <ul className="mt-2 divide-y divide-line">
              {payments.map((payment) => (
                <PaymentItem
                  key={payment.id}
                  payment={payment}
                  isConfirmed={isConfirmed}
                  onAssign={() => assign.open(payment)}
                  onRefund={() => refund.open(payment)}
                />
              ))}
            </ul>
            {more > 0 ? (
              <p className="mt-2 text-muted">{`${more} more will be listed once these are handled.`}</p>
            ) : null}
          </section>
        </Fold>
      )}
      {/* Also without a payment: the last one may be gone before its own request is answered. */}
      <AdminDialog
        open={assign.isOpen}
        onClose={assign.close}
        initialFocus={firstField}
        holdsForm
        title="Assign the payment"
        description="The pass starts now and takes one unit of stock. The payment counts as revenue. The buyer gets a receipt by email."
      >
        {assign.value === null ? null : (
          <AssignForm
            key={assign.key}
            payment={assign.value}
            tools={tools}
            firstField={firstField}
            onClose={assign.close}
          />
        )}
      </AdminDialog>
      <ConfirmAction
        confirm={refund}
        action={RESTORED_SHOP_ACTION}
        intent="refund"
        values={({ id }) => ({ id })}
        question={({ amountPaise }) => `Refund ${formatPaise(amountPaise)}?`}
        confirmLabel="Refund"
      >
        {(payment) => (
          <>
            <p className="wrap-anywhere">{`Payment ${payment.gatewayPaymentId}`}</p>
            <p>
              {payment.testMode
                ? "It was a test payment: no money moves."
                : `The money goes back to the payer through the payment provider. ${BANKS_TAKE}`}
            </p>
          </>
        )}
      </ConfirmAction>
    </>
  );
}

interface ItemProps {
  payment: Payment;
  isConfirmed: boolean;
  onAssign: () => void;
  onRefund: () => void;
}

function PaymentItem({ payment, isConfirmed, onAssign, onRefund }: ItemProps) {
  const { timeZone } = useShared();
  const { amountPaise, paidAt, gatewayPaymentId, email, phone, references, lastError, state } = payment;
  const name = `${formatPaise(amountPaise)}, ${gatewayPaymentId}`;
  return (
    <li className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2 py-2.5">
      <div className="min-w-0 flex-1 basis-72">
        <p>
          <strong className="font-semibold">
            <Money>{formatPaise(amountPaise)}</Money>
          </strong>
          <span> paid on </span>
          <DateText date={paidAt}>{formatDateTime(paidAt, timeZone)}</DateText>
          {payment.testMode ? <span> (test payment)</span> : null}
        </p>
        <p className="wrap-anywhere text-muted">
          {[email, phone, ...references, gatewayPaymentId].filter(Boolean).join(" · ")}
        </p>
        <p className="wrap-anywhere">{describeSuggestion(payment)}</p>
        <p>{describeAmount(payment)}</p>
        {lastError === null ? null : (
          <p className="wrap-anywhere text-red">{`Refund not made yet: ${lastError}`}</p>
        )}
      </div>
      {state === "refunding" ? (
        <p className="text-muted">The refund is on its way.</p>
      ) : isConfirmed ? (
        <div className="flex flex-wrap gap-2">
          <Button size="small" aria-label={`Assign ${name}`} onClick={onAssign}>
            Assign
          </Button>
          <Button size="small" aria-label={`Refund ${name}`} onClick={onRefund}>
            Refund
          </Button>
        </div>
      ) : null}
    </li>
  );
}

/** How the payment compares with its order; empty when it is the same amount. */
function describeAmount({ amountPaise, orderAmountPaise }: Payment): string {
  if (orderAmountPaise === null) return "The shop could not match it to the amount of its order.";
  if (amountPaise === orderAmountPaise) return "";
  const why = amountPaise > orderAmountPaise ? "the payment fee is on top" : "the rest was an offer";
  return `The order was for ${formatPaise(orderAmountPaise)}; ${why}.`;
}

/** What was probably bought, and by whom. */
function describeSuggestion({ suggested: { email, toolName, validityDays } }: Payment): string {
  const tool =
    toolName === null
      ? null
      : validityDays === null
        ? toolName
        : `${toolName} for ${formatDays(validityDays)}`;
  if (tool !== null && email !== null) return `Looks like ${tool}, bought by ${email}`;
  if (tool !== null) return `Looks like ${tool}. The buyer’s account is missing from the backup.`;
  return email === null ? "" : `Looks like a purchase by ${email}`;
}

interface AssignFormProps {
  payment: Payment;
  tools: Payments["tools"];
  firstField: RefObject<HTMLInputElement | null>;
  onClose: () => void;
}

function AssignForm({ payment, tools, firstField, onClose }: AssignFormProps) {
  const { id, amountPaise, gatewayPaymentId, suggested } = payment;
  const { form, fields, busy } = useAdminForm({
    id: `assign-${id}`,
    action: RESTORED_SHOP_ACTION,
    intent: "assign",
    schema: assignPaymentSchema,
    defaultValue: {
      email: suggested.email ?? "",
      toolId: suggested.toolId ?? "",
      validityDays: suggested.validityDays === null ? "" : String(suggested.validityDays),
    },
    onDone: onClose,
  });
  return (
    <FormFrame form={form} busy={busy} submitLabel="Assign" busyLabel="Assigning...">
      <input type="hidden" name="id" value={id} />
      <p className="wrap-anywhere text-sm">
        <Money>{formatPaise(amountPaise)}</Money>
        <span>{`, payment ${gatewayPaymentId}`}</span>
      </p>
      <TextField
        ref={firstField}
        label="Buyer’s Email"
        {...fieldProps(fields.email)}
        type="email"
        autoComplete="off"
        required
      />
      <SelectField
        label="Tool"
        {...fieldProps(fields.toolId)}
        options={[
          { value: "", label: "Choose a tool" },
          ...tools.map(({ id: value, name, availableStock }) => ({
            value,
            label: availableStock > 0 ? name : `${name} (sold out)`,
          })),
        ]}
        required
      />
      <TextField
        label="Days"
        {...fieldProps(fields.validityDays)}
        type="number"
        inputMode="numeric"
        min={1}
        hint="How long the pass lasts from now."
        required
      />
    </FormFrame>
  );
}
