import { formatPaise } from "#core/money.ts";
import { recordPayoutSchema } from "#core/payments/schemas.ts";
import type { PaymentNotices } from "#core/reports/payment-notices.ts";
import { DateOnly } from "../../time/date-time.tsx";
import { Banner } from "../../ui/banner.tsx";
import { Button } from "../../ui/button.tsx";
import { Money } from "../../ui/text.tsx";
import { AdminDialog } from "../dialogs/admin-dialog.tsx";
import { useDialogs } from "../dialogs/use-dialogs.ts";
import { FormFrame, fieldProps, useAdminForm } from "../forms/admin-form.tsx";
import { TransferFields } from "../forms/transfer-fields.tsx";

/** Refunds that the owner makes, each with a button to enter how. Renders nothing if there is no such refund. */
export function PromisedPayouts({ payouts, total }: PaymentNotices["promisedPayouts"]) {
  const opened = useDialogs(["given-back"], { rows: payouts }).of("given-back");
  const more = total - payouts.length;
  return (
    <>
      {total === 0 ? null : (
        <Banner tone="warning">
          <strong className="font-semibold">
            {`${total === 1 ? "1 refund is" : `${total} refunds are`} promised: you give the money back yourself.`}
          </strong>
          <ul className="mt-1 flex flex-col gap-2">
            {payouts.map((payout) => (
              <li key={payout.id} className="flex flex-wrap items-center justify-between gap-x-4 gap-y-1">
                <span className="wrap-anywhere">
                  <Money>{formatPaise(payout.amountPaise)}</Money>
                  <span>{` to ${payout.email ?? "a deleted account"}, ${payout.toolName}, order ${payout.orderNumber}, since `}</span>
                  <DateOnly date={payout.promisedAt} />
                </span>
                <Button size="small" onClick={() => opened.open(payout)}>
                  Given Back…
                  <span className="sr-only">{` order ${payout.orderNumber}`}</span>
                </Button>
              </li>
            ))}
          </ul>
          {more > 0 ? <p className="mt-1">{`${more} more will be listed once these are made.`}</p> : null}
        </Banner>
      )}
      {/* Also without a payout: the last one may be gone before its own request is answered. */}
      <AdminDialog
        open={opened.isOpen}
        onClose={opened.close}
        holdsForm
        title="How was it given back?"
        description={
          opened.value === null
            ? ""
            : `${formatPaise(opened.value.amountPaise)} for ${opened.value.toolName}. The buyer then sees it as refunded.`
        }
      >
        {opened.value === null ? null : (
          <PayoutForm key={opened.key} payoutId={opened.value.id} onClose={opened.close} />
        )}
      </AdminDialog>
    </>
  );
}

function PayoutForm({ payoutId, onClose }: { payoutId: string; onClose: () => void }) {
  const { form, fields, busy } = useAdminForm({
    id: `payout-${payoutId}`,
    action: "/admin/purchases",
    intent: "record-payout",
    schema: recordPayoutSchema,
    defaultValue: { way: "upi" },
    onDone: onClose,
  });
  return (
    <FormFrame form={form} busy={busy} submitLabel="Record" busyLabel="Recording...">
      <input type="hidden" name="payoutId" value={payoutId} />
      <TransferFields way={fieldProps(fields.way)} reference={fieldProps(fields.reference)} />
    </FormFrame>
  );
}
