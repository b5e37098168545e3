import { Link } from "react-router";
import { formatPaise } from "#core/money.ts";
import {
  type DisputeNotice,
  type PaymentNotices as Notices,
  needsOwner,
  OVERDUE_AFTER_MS,
  SOLD_OUT_WINDOW_MS,
} from "#core/reports/payment-notices.ts";
import { DAY } from "#core/time.ts";
import { DateTime } from "../../time/date-time.tsx";
import { Banner } from "../../ui/banner.tsx";
import { Money } from "../../ui/text.tsx";

/** Notices about money, the most urgent first. Renders nothing when all payments and refunds are in order. */
export function PaymentNotices({
  failedRefunds,
  disputes,
  overdueRefunds,
  unaccounted,
  soldOut,
}: Omit<Notices, "promisedPayouts">) {
  return (
    <>
      {unaccounted.number > 0 ? <Unaccounted {...unaccounted} /> : null}
      {failedRefunds.total > 0 ? <FailedRefunds {...failedRefunds} /> : null}
      {disputes.total > 0 ? <Disputes {...disputes} /> : null}
      {overdueRefunds.number > 0 ? <OverdueRefunds {...overdueRefunds} /> : null}
      {soldOut.length > 0 ? <SoldOut tools={soldOut} /> : null}
    </>
  );
}

function Unaccounted({ number, paymentIds }: Notices["unaccounted"]) {
  const more = number - paymentIds.length;
  return (
    <Banner tone="error">
      <strong className="font-semibold">
        {`${number === 1 ? "1 payment is" : `${number} payments are`} not accounted for.`}
      </strong>
      <span>{` A buyer has paid and may have neither a pass nor the money back. Look ${number === 1 ? "it" : "them"} up at the payment provider and pay back what is owed: `}</span>
      <Id>{paymentIds.join(", ")}</Id>
      <span>
        {more > 0
          ? ` and ${more} more. The shop’s log lists all of them once a minute, in lines that contain “discrepancy”.`
          : "."}
      </span>
    </Banner>
  );
}

function FailedRefunds({ refunds, total }: Notices["failedRefunds"]) {
  const more = total - refunds.length;
  return (
    <Banner tone="error">
      <ul className="flex flex-col gap-2">
        {refunds.map(({ id, paymentId, toolName, email, amountPaise }) => (
          <li key={id}>
            <strong className="font-semibold">
              <span>A refund of </span>
              <Money>{formatPaise(amountPaise)}</Money>
              <span> to </span>
              <span className="wrap-anywhere">{email ?? "a deleted account"}</span>
              <span> failed at the payment provider: pay it back by hand.</span>
            </strong>
            <span>{` ${toolName}, payment `}</span>
            <PaymentLink>{paymentId}</PaymentLink>
          </li>
        ))}
        {more > 0 ? <li>{`${more} more ${more === 1 ? "refund" : "refunds"} failed.`}</li> : null}
      </ul>
    </Banner>
  );
}

function Disputes({ disputes, total }: Notices["disputes"]) {
  const more = total - disputes.length;
  return (
    <Banner tone={disputes.some(needsOwner) ? "error" : "warning"}>
      <ul className="flex flex-col gap-2">
        {disputes.map((dispute) => (
          <li key={dispute.id}>
            <p>
              <strong className="font-semibold">
                <span>A dispute of </span>
                <Money>{formatPaise(dispute.amountPaise)}</Money>
                <span>{` ${disputeState(dispute)}`}</span>
              </strong>
            </p>
            <p>{disputeAdvice(dispute)}</p>
            {dispute.respondBy !== null && dispute.status === "open" ? (
              <p>
                <span>Answer by </span>
                <DateTime date={dispute.respondBy} />
                <span>.</span>
              </p>
            ) : null}
            <p>
              <span className="wrap-anywhere">{`${paymentOf(dispute)} `}</span>
              {dispute.purchase === null ? (
                <Id>{dispute.gatewayPaymentId}</Id>
              ) : (
                <PaymentLink>{dispute.gatewayPaymentId}</PaymentLink>
              )}
            </p>
          </li>
        ))}
        {more > 0 ? <li>{`${more} more ${more === 1 ? "dispute" : "disputes"}.`}</li> : null}
      </ul>
    </Banner>
  );
}

function disputeState({ status, mustRefund }: DisputeNotice): string {
  if (mustRefund) return "is reported as fraud: refund it.";
  if (status === "open") return "needs your answer.";
  return status === "under_review" ? "is with the bank." : "is lost.";
}

function paymentOf({ purchase }: DisputeNotice): string {
  if (purchase === null) return "The shop does not know this payment:";
  return `${purchase.toolName}, ${purchase.email ?? "a deleted account"}, payment`;
}

const disputeAdvice = ({ reason, ...dispute }: DisputeNotice): string =>
  `${adviceOf(dispute)}${reason === null ? "" : ` Reason: ${reason.replace(/\.$/, "")}.`}`;

function adviceOf({
  status,
  mustRefund,
  isLostTwice,
  deductedPaise,
  purchase,
}: Omit<DisputeNotice, "reason">): string {
  if (mustRefund)
    return purchase === null
      ? "Refund it at the payment provider, which leaves this to you."
      : "The payment provider leaves this to you: cancel the purchase with a refund.";
  if (status !== "lost") return "A refund waits until the bank has decided.";
  if (isLostTwice) return "The payment was refunded as well: the buyer may have got the money twice.";
  return deductedPaise === null
    ? "The bank has paid the buyer back."
    : `The payment provider has taken ${formatPaise(deductedPaise)}.`;
}

function OverdueRefunds({ number, paise }: Notices["overdueRefunds"]) {
  const one = number === 1;
  return (
    <Banner tone="warning">
      <strong className="font-semibold">
        <span>{`${one ? "A refund" : `${number} refunds`} of `}</span>
        <Money>{formatPaise(paise)}</Money>
        <span>{`${one ? " has" : " in all have"} been waiting for more than ${formatAge(OVERDUE_AFTER_MS)}.`}</span>
      </strong>
      <span>{` The shop keeps trying. Often the balance at the payment provider is too low to pay ${one ? "it" : "them"} back.`}</span>
    </Banner>
  );
}

function SoldOut({ tools }: { tools: Notices["soldOut"] }) {
  const number = tools.reduce((sum, tool) => sum + tool.number, 0);
  const paise = tools.reduce((sum, tool) => sum + tool.paise, 0);
  const names = tools.map((tool) =>
    tool.number === 1 ? tool.toolName : `${tool.toolName} (${tool.number})`,
  );
  return (
    <Banner>
      <span>{`In the last ${SOLD_OUT_WINDOW_MS / DAY} days ${number === 1 ? "a payment" : `${number} payments`} of `}</span>
      <Money>{formatPaise(paise)}</Money>
      <span>{`${number === 1 ? "" : " in all"} arrived after the tool had sold out and ${number === 1 ? "is" : "are"} being refunded: ${names.join(", ")}.`}</span>
    </Banner>
  );
}

/** Whole days as part of a sentence: "a day", "2 days". */
function formatAge(ms: number): string {
  const days = Math.ceil(ms / DAY);
  return days === 1 ? "a day" : `${days} days`;
}

/** The gateway's id of a payment, as a link to its purchase. */
function PaymentLink({ children }: { children: string }) {
  return (
    <Link
      to={`/admin/purchases?q=${encodeURIComponent(children)}`}
      preventScrollReset
      className="wrap-anywhere tabular-nums underline underline-offset-4"
    >
      {children}
    </Link>
  );
}

/** A long identifier. It breaks instead of widening the page on a phone. */
function Id({ children }: { children: string }) {
  return <span className="wrap-anywhere tabular-nums">{children}</span>;
}
