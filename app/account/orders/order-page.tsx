import type { ReactNode } from "react";
import { data, isRouteErrorResponse } from "react-router";
import { isNamedByDays } from "#core/checkout/pricing.ts";
import { isDomainError } from "#core/errors.ts";
import { formatPaise } from "#core/money.ts";
import { getMyPurchase, type MyPurchase } from "#core/passes/list-my-purchases.server.ts";
import { hasNoEnd } from "#core/time.ts";
import { redirectVisitor } from "../../auth/wanted-page.server.ts";
import { ErrorPage, errorMeta } from "../../errors/error-page.tsx";
import { NotFoundScreen } from "../../errors/not-found-screen.tsx";
import { shopContext } from "../../request/request-context.ts";
import { HelpLink } from "../../storefront/help-link.tsx";
import { DateTime } from "../../time/date-time.tsx";
import { daysText } from "../../time/time-texts.ts";
import { Badge } from "../../ui/badge.tsx";
import { Button, LinkButton } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { classNames } from "../../ui/class-names.ts";
import { Fact } from "../../ui/fact.tsx";
import { Money } from "../../ui/text.tsx";
import { langOf, t, tNodes } from "../../ui/texts/texts.ts";
import { unlistedPageMeta } from "../../unlisted-page-meta.ts";
import { useShared } from "../../use-shared.ts";
import { AccountFrame } from "../account-frame.tsx";
import {
  declinedBecause,
  freeBecause,
  hasReceipt,
  paymentMethod,
  refundStatusMessage,
  statusWords,
} from "../purchase-words.ts";
import type { Route } from "./+types/order-page";
import { OrderNumber } from "./order-list.tsx";

/** @throws Response 404 for a purchase of somebody else, as for an unknown purchase */
export async function loader({ params, context }: Route.LoaderArgs) {
  const ctx = context.get(shopContext);
  if (ctx.actor.kind === "visitor") throw await redirectVisitor(ctx, `/account/orders/${params.purchaseId}`);
  try {
    return { purchase: await getMyPurchase(ctx, { purchaseId: params.purchaseId }) };
  } catch (error) {
    if (isDomainError(error, "purchase-not-found") || isDomainError(error, "invalid-input"))
      throw data(null, { status: 404 });
    throw error;
  }
}

/** Otherwise the back button would show the page again after a sign-out. */
export const headers: Route.HeadersFunction = () => ({ "Cache-Control": "private, no-store" });

export const meta: Route.MetaFunction = ({ loaderData, matches, error }) => {
  if (loaderData === undefined) return errorMeta(error, matches[1].loaderData);
  const { purchase } = loaderData;
  const screen = t(hasReceipt(purchase) ? "Receipt for {tool}" : "Order for {tool}", {
    tool: purchase.toolName,
  });
  return unlistedPageMeta(matches[1].loaderData, screen);
};

/** One purchase of the buyer, as a receipt that prints on one page. */
export default function OrderPage({ loaderData: { purchase } }: Route.ComponentProps) {
  return (
    <AccountFrame className="max-w-[42rem] gap-4 py-6 sm:py-10 print:max-w-none print:p-0">
      <div className="flex flex-wrap items-center justify-between gap-2 print:hidden">
        <LinkButton to="/account#orders" variant="quiet" size="small" className="-ml-3">
          {t("All orders")}
        </LinkButton>
        <Button onClick={() => window.print()}>{t("Print")}</Button>
      </div>
      <PurchaseReceipt purchase={purchase} />
      <div className="flex justify-center print:hidden">
        <HelpLink about={`my order ${purchase.orderNumber}`} />
      </div>
    </AccountFrame>
  );
}

export function ErrorBoundary({ error }: Route.ErrorBoundaryProps) {
  return isRouteErrorResponse(error) && error.status === 404 ? (
    <NotFoundScreen />
  ) : (
    <ErrorPage error={error} />
  );
}

/** Everything about one purchase: what was bought, what was paid, and when it gives access. */
function PurchaseReceipt({ purchase }: { purchase: MyPurchase }) {
  const { store, user, timeZone } = useShared();
  const { label, tone } = statusWords(purchase);
  const declined = declinedBecause(purchase);
  return (
    <Card className="flex flex-col print:border-0">
      <div className="flex flex-wrap items-start justify-between gap-x-4 gap-y-2 p-4 sm:p-6">
        <div className="min-w-0">
          <p className="font-semibold">{store.name}</p>
          <h1 className="text-xl">{t(hasReceipt(purchase) ? "Receipt" : "Order")}</h1>
        </div>
        <Badge tone={tone}>{label}</Badge>
        <dl className="grid w-full gap-3 pt-3 sm:grid-cols-2">
          <Fact name={t("Order number")} wide>
            <OrderNumber number={purchase.orderNumber} toolName={purchase.toolName} />
          </Fact>
          <Fact name={t("Ordered")}>
            <DateTime date={purchase.createdAt} />
          </Fact>
          <Fact name={t("Buyer")}>
            {user?.displayName ? <span className="block">{user.displayName}</span> : null}
            <span>{user?.email}</span>
          </Fact>
          {declined === null ? null : (
            <Fact name={t("Payment")} wide>
              {declined}
            </Fact>
          )}
          {purchase.startsAt !== null && purchase.accessEndsAt !== null ? (
            <Fact name={t("Access")}>
              {hasNoEnd(purchase.accessEndsAt)
                ? tNodes("From {start} · no end", {
                    start: <DateTime key="start" date={purchase.startsAt} />,
                  })
                : tNodes("{start} to {end}", {
                    start: <DateTime key="start" date={purchase.startsAt} />,
                    end: <DateTime key="end" date={purchase.accessEndsAt} />,
                  })}
            </Fact>
          ) : null}
        </dl>
      </div>
      <Bill purchase={purchase} />
      {purchase.payments.length + purchase.refunds.length > 0 ? <MoneyMoved purchase={purchase} /> : null}
      <p className="px-4 pb-5 text-muted text-xs sm:px-6">
        {`${t("Times are in the shop’s time zone, {zone}.", { zone: timeZone })}${purchase.testMode ? ` ${t("Test purchase: no money was charged.")}` : ""}${purchase.source === "import" ? ` ${t("This order is from the shop’s earlier records, which have no payment details.")}` : ""}`}
      </p>
    </Card>
  );
}

function Bill({ purchase }: { purchase: MyPurchase }) {
  const { toolName, optionLabel, listPricePaise, discountPaise, couponCode, amountPaise, paid } = purchase;
  const because = freeBecause(purchase);
  return (
    <dl className="perforation flex flex-col gap-2 p-4 sm:p-6">
      <Line
        name={
          <>
            <span lang={langOf(toolName)} className="wrap-anywhere font-semibold text-base">
              {toolName}
            </span>
            <span className="block text-muted text-xs">
              {`${isNamedByDays(purchase) ? "" : `${optionLabel} · `}${t("{days} of access", { days: daysText(purchase.validityDays) })}`}
            </span>
          </>
        }
      >
        <Money>{formatPaise(listPricePaise)}</Money>
      </Line>
      {discountPaise > 0 ? (
        <Line
          name={couponCode === null ? t("Discount") : t("Discount with {coupon}", { coupon: couponCode })}
        >
          <Money>{`−${formatPaise(discountPaise)}`}</Money>
        </Line>
      ) : null}
      {because === null ? null : (
        <Line name={because}>
          <Money>{`−${formatPaise(listPricePaise)}`}</Money>
        </Line>
      )}
      {paid !== null && paid.buyerFeePaise > 0 ? (
        <Line name={t("Payment fee")}>
          <Money>{formatPaise(paid.buyerFeePaise)}</Money>
        </Line>
      ) : null}
      {paid !== null && paid.offerPaise > 0 ? (
        <Line name={t("Offer at payment")}>
          <Money>{`−${formatPaise(paid.offerPaise)}`}</Money>
        </Line>
      ) : null}
      <Line name={<span className="font-semibold">{t(paid === null ? "Total" : "Paid")}</span>} isTotal>
        <Money className="font-semibold text-lg">{formatPaise(paid?.amountPaise ?? amountPaise)}</Money>
      </Line>
    </dl>
  );
}

/** The payments at the gateway, and what came back of them. */
function MoneyMoved({ purchase: { payments, refunds } }: { purchase: MyPurchase }) {
  // Refunds have no id here; their order does not change.
  const lines = refunds.map((refund, at) => ({ ...refund, key: `refund-${at}` }));
  return (
    <dl className="flex flex-col gap-3 border-line border-t p-4 sm:p-6">
      {payments.map((payment) => (
        <Fact
          key={payment.gatewayPaymentId}
          name={t("Payment: {method}", { method: paymentMethod(payment) })}
        >
          {tNodes("{price} on {date}", {
            price: <Money key="price">{formatPaise(payment.amountPaise)}</Money>,
            date: <DateTime key="date" date={payment.paidAt} />,
          })}
          <code translate="no" className="wrap-anywhere block font-mono text-muted text-xs">
            {payment.reference ?? payment.gatewayPaymentId}
          </code>
        </Fact>
      ))}
      {lines.map(({ key, status, amountPaise, at }) => (
        <Fact key={key} name={refundStatusMessage(status)}>
          {tNodes("{price} on {date}", {
            price: <Money key="price">{formatPaise(amountPaise)}</Money>,
            date: <DateTime key="date" date={at} />,
          })}
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
