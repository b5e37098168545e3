import type { ReactNode } from "react";
import { isNamedByDays } from "#core/checkout/rules.ts";
import { formatPaise } from "#core/money.ts";
import type { MyPurchase } from "#core/passes/list-my-purchases.server.ts";
import { formatDays } from "#core/time.ts";
import { DateTime } from "../../date-time.tsx";
import { Badge } from "../../ui/badge.tsx";
import { Card } from "../../ui/card.tsx";
import { classNames } from "../../ui/class-names.ts";
import { Fact } from "../../ui/fact.tsx";
import { Money } from "../../ui/text.tsx";
import { useShared } from "../../use-shared.ts";
import { refundStatusMessage } from "../pass-messages.ts";
import { OrderNumber } from "./order-number.tsx";
import { declinedBecause, freeBecause, hasReceipt, paymentMethod, statusWords } from "./order-words.ts";

/** Everything about one order: what was bought, what was paid, and when it gives access. */
export function OrderReceipt({ order }: { order: MyPurchase }) {
  const { store, user, timeZone } = useShared();
  const { label, tone } = statusWords(order);
  const declined = declinedBecause(order);
  return (
    <Card className="flex flex-col print:border-0">
      <div className="flex flex-wrap items-start justify-between gap-x-4 gap-y-2 p-4 sm:p-6">
        <div className="min-w-0">
          <p className="font-semibold">{store.name}</p>
          <h1 className="text-xl">{hasReceipt(order) ? "Receipt" : "Order"}</h1>
        </div>
        <Badge tone={tone}>{label}</Badge>
        <dl className="grid w-full gap-3 pt-3 sm:grid-cols-2">
          <Fact name="Order number" wide>
            <OrderNumber purchaseId={order.id} toolName={order.toolName} />
          </Fact>
          <Fact name="Ordered">
            <DateTime date={order.createdAt} />
          </Fact>
          <Fact name="Buyer">
            {user?.displayName ? <span className="block">{user.displayName}</span> : null}
            {user?.email}
          </Fact>
          {declined === null ? null : (
            <Fact name="Payment" wide>
              {declined}
            </Fact>
          )}
          {order.startsAt !== null && order.expiresAt !== null ? (
            <Fact name="Access">
              <DateTime date={order.startsAt} /> to <DateTime date={endOf(order, order.expiresAt)} />
            </Fact>
          ) : null}
        </dl>
      </div>
      <Bill order={order} />
      {order.payments.length + order.refunds.length > 0 ? <MoneyMoved order={order} /> : null}
      <p className="px-4 pb-5 text-muted text-xs sm:px-6">
        Times are in the shop’s time zone, {timeZone}.
        {order.testMode ? " Test purchase: no money was charged." : null}
      </p>
    </Card>
  );
}

/** When access ends, or has ended before its time. */
function endOf({ endedAt }: MyPurchase, expiresAt: Date): Date {
  return endedAt !== null && endedAt < expiresAt ? endedAt : expiresAt;
}

function Bill({ order }: { order: MyPurchase }) {
  const { toolName, optionLabel, listPricePaise, discountPaise, couponCode, amountPaise, payments } = order;
  const because = freeBecause(order);
  return (
    <dl className="perforation flex flex-col gap-2 p-4 sm:p-6">
      <Line
        name={
          <>
            <span className="wrap-anywhere font-semibold text-base">{toolName}</span>
            <span className="block text-muted text-xs">
              {isNamedByDays(order) ? null : `${optionLabel} · `}
              {formatDays(order.validityDays)} of access
            </span>
          </>
        }
      >
        <Money>{formatPaise(listPricePaise)}</Money>
      </Line>
      {discountPaise > 0 ? (
        <Line name={couponCode === null ? "Discount" : `Discount with ${couponCode}`}>
          <Money>−{formatPaise(discountPaise)}</Money>
        </Line>
      ) : null}
      {because === null ? null : (
        <Line name={because}>
          <Money>−{formatPaise(listPricePaise)}</Money>
        </Line>
      )}
      <Line name={<span className="font-semibold">{payments.length > 0 ? "Paid" : "Total"}</span>} isTotal>
        <Money className="font-semibold text-lg">{formatPaise(amountPaise)}</Money>
      </Line>
    </dl>
  );
}

/** The payments at the gateway, and what came back of them. */
function MoneyMoved({ order: { payments, refunds } }: { order: MyPurchase }) {
  // Refunds have no id here; their order does not change.
  const lines = refunds.map((refund, at) => ({ ...refund, key: `refund-${at}` }));
  return (
    <dl className="flex flex-col gap-3 border-line border-t p-4 sm:p-6">
      {payments.map((payment) => (
        <Fact key={payment.gatewayPaymentId} name={`Payment: ${paymentMethod(payment)}`}>
          <Money>{formatPaise(payment.amountPaise)}</Money> on <DateTime date={payment.paidAt} />
          <code className="wrap-anywhere block font-mono text-muted text-xs">{payment.gatewayPaymentId}</code>
        </Fact>
      ))}
      {lines.map(({ key, status, amountPaise, at }) => (
        <Fact key={key} name={refundStatusMessage(status)}>
          <Money>{formatPaise(amountPaise)}</Money> on <DateTime date={at} />
        </Fact>
      ))}
    </dl>
  );
}

function Line(props: { name: ReactNode; isTotal?: boolean; children: ReactNode }) {
  const { name, isTotal = false, children } = props;
  return (
    <div
      className={classNames(
        "flex items-baseline justify-between gap-4",
        isTotal && "mt-2 border-line border-t pt-3",
      )}
    >
      <dt className="min-w-0">{name}</dt>
      <dd className="shrink-0 text-right">{children}</dd>
    </div>
  );
}
