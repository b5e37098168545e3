import { formatPaise } from "#core/money.ts";
import type {
  ListedUnknownPayment,
  UnknownPayments as Payments,
} from "#core/payments/unknown-payments.server.ts";
import { BANKS_TAKE } from "#core/refund-reasons.ts";
import { formatDateTime, formatDays } from "#core/time.ts";
import { Button, LinkButton } from "../../ui/button.tsx";
import { Fold } from "../../ui/regions.tsx";
import { Money } from "../../ui/text.tsx";
import { DateText } from "../../ui/time.tsx";
import { useShared } from "../../use-shared.ts";
import { RESTORED_SHOP_ACTION } from "../dashboard/restored-shop.tsx";
import { useDialogs } from "../dialogs/use-dialogs.ts";
import { ConfirmAction } from "../forms/admin-action.tsx";

type Payment = ListedUnknownPayment;

/** Payments whose purchase is missing from the backup. Renders nothing if there is no such payment. */
export function UnknownPayments({ payments, total, isConfirmed }: Payments & { isConfirmed: boolean }) {
  const refund = useDialogs(["refund"], { rows: payments }).of("refund");
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
                  ? "Assign each payment to its buyer with “Paid by hand…”, so that the buyer gets the tool, or refund it."
                  : "You can assign or refund each payment once you have confirmed that this is now the shop."
              }`}
            </p>
            <ul className="mt-2 divide-y divide-line">
              {payments.map((payment) => (
                <PaymentItem
                  key={payment.id}
                  payment={payment}
                  isConfirmed={isConfirmed}
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
  onRefund: () => void;
}

function PaymentItem({ payment, isConfirmed, onRefund }: ItemProps) {
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
          <LinkButton size="small" aria-label={`Paid by hand… ${name}`} to={saleHref(payment)}>
            Paid by hand…
          </LinkButton>
          <Button size="small" aria-label={`Refund ${name}`} onClick={onRefund}>
            Refund
          </Button>
        </div>
      ) : null}
    </li>
  );
}

/** The users, among whom the admin finds the buyer: 'Paid by hand…' is then filled with the payment. */
const saleHref = ({ id, suggested }: Payment) =>
  `/admin?${new URLSearchParams({ ...(suggested.email !== null && { q: suggested.email }), payment: id })}`;

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
