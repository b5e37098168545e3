import { Link } from "react-router";
import { formatPaise } from "#core/money.ts";
import type { PassView } from "#core/passes/list-my-passes.server.ts";
import { DateOnly } from "../date-time.tsx";
import { Money, VisuallyHidden } from "../ui/text.tsx";
import { freeBecause, orderPath } from "./orders/order-words.ts";
import { refundedAmountSuffix } from "./pass-messages.ts";

/**
 * The amount and the date of the payment for a pass, or why it is free, and a link to its receipt; nothing for an assigned pass that
 * has a price.
 */
export function Receipt({ pass }: { pass: PassView }) {
  const { id, toolName, paidAt, amountPaise } = pass;
  if (paidAt === null && amountPaise > 0) return null;
  const because = freeBecause(pass);
  return (
    <p className="text-muted text-xs">
      {paidAt === null ? (
        <>Free{because === null ? null : ` · ${because}`}</>
      ) : (
        <>
          Paid <Money>{formatPaise(amountPaise)}</Money> on <DateOnly date={paidAt} />
        </>
      )}{" "}
      ·{" "}
      <Link
        to={orderPath(id)}
        className="relative z-10 -my-2 inline-block rounded-sm py-2 text-accent underline underline-offset-2"
      >
        Receipt<VisuallyHidden> for {toolName}</VisuallyHidden>
      </Link>
    </p>
  );
}

/** The refunds of a pass and its uncaptured payment. */
export function Refunds({ pass: { refunds, uncapturedPayment } }: { pass: PassView }) {
  // Refunds have no id here; their order does not change.
  const lines = refunds.map((refund, index) => ({ refund, key: `refund-${index}` }));
  return (
    <>
      {lines.map(({ refund, key }) => (
        <p key={key} className="text-muted text-xs">
          <Money>{formatPaise(refund.amountPaise)}</Money> {refundedAmountSuffix(refund.status)}
          {refunds.length > 1 ? (
            <>
              {" "}
              · <DateOnly date={refund.at} />
            </>
          ) : null}
          {refund.why === null ? null : ` · ${refund.why}`}
        </p>
      ))}
      {uncapturedPayment === null ? null : (
        <p className="text-muted text-xs">
          <Money>{formatPaise(uncapturedPayment.amountPaise)}</Money> not taken
          {uncapturedPayment.why === null ? null : ` · ${uncapturedPayment.why}`}
        </p>
      )}
    </>
  );
}
