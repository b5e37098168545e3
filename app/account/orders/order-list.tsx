import ReceiptIndianRupee from "lucide-react/icons/receipt-indian-rupee";
import { formatPaise } from "#core/money.ts";
import type { MyPurchase, MyPurchases } from "#core/passes/list-my-purchases.server.ts";
import { ToolLogo } from "../../storefront/tool-logo.tsx";
import { DateOnly } from "../../time/date-time.tsx";
import { optionLabel } from "../../time/time-texts.ts";
import { Badge } from "../../ui/badge.tsx";
import { LinkButton } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { Fold } from "../../ui/regions.tsx";
import { LiveRegion, Money } from "../../ui/text.tsx";
import { langOf, plural, t, tNodes } from "../../ui/texts/texts.ts";
import { useCopy } from "../../ui/use-copy.ts";
import { ContinueButton } from "../payment-banners.tsx";
import {
  declinedBecause,
  foldUnpaidOrders,
  freeBecause,
  hasReceipt,
  orderPath,
  refundAmountMessage,
  statusWords,
} from "../purchase-words.ts";

/** One page of the buyer's purchases. */
export function OrderList({ purchases, page, pages, total }: MyPurchases) {
  if (total === 0) {
    return (
      <EmptyState
        title={t("No orders yet")}
        icon={<ReceiptIndianRupee aria-hidden="true" className="size-8" />}
        action={<LinkButton to="/">{t("See all tools")}</LinkButton>}
      >
        {t("Everything you buy or win appears here, with its order number and a receipt you can print.")}
      </EmptyState>
    );
  }
  return (
    <div className="flex flex-col gap-4">
      <Card className="overflow-hidden">
        <ul aria-label={t("Orders")} className="divide-y divide-line">
          {foldUnpaidOrders(purchases).map(({ purchase, unpaid }) => (
            <li key={purchase.id}>
              <PurchaseRow purchase={purchase} />
              {unpaid.length > 0 ? <EarlierUnpaidOrders orders={unpaid} /> : null}
            </li>
          ))}
        </ul>
      </Card>
      {pages > 1 ? <Pages page={page} pages={pages} /> : null}
    </div>
  );
}

/** Earlier unpaid orders of the same tool, folded. */
function EarlierUnpaidOrders({ orders }: { orders: readonly MyPurchase[] }) {
  return (
    <div className="px-4 pb-4 sm:px-5">
      <Fold
        summary={plural(
          orders.length,
          "{count} earlier attempt, not paid",
          "{count} earlier attempts, not paid",
        )}
      >
        <ul className="divide-y divide-line border-line border-t">
          {orders.map((purchase) => (
            <li key={purchase.id}>
              <PurchaseRow purchase={purchase} />
            </li>
          ))}
        </ul>
      </Fold>
    </div>
  );
}

function PurchaseRow({ purchase }: { purchase: MyPurchase }) {
  const { id, orderNumber, toolName, validityDays, createdAt, refunds } = purchase;
  const amountPaise = purchase.paid?.amountPaise ?? purchase.amountPaise;
  const status = statusWords(purchase);
  const price = amountPaise === 0 ? t("Free") : <Money>{formatPaise(amountPaise)}</Money>;
  // The status of the purchase shows neither a partial refund nor the refund of a second payment.
  const lines = refunds.map((refund, at) => ({ ...refund, key: `refund-${at}` }));
  const declined = declinedBecause(purchase);
  const label = purchase.optionLabel;
  const option = label === null ? null : optionLabel({ label, validityDays });
  const facts = [option, freeBecause(purchase)].filter(Boolean).join(" · ");
  return (
    <div className="grid grid-cols-[auto_minmax(0,1fr)] items-center gap-x-3 gap-y-1 px-4 py-4 sm:px-5">
      <ToolLogo name={toolName} className="size-9 text-base" />
      {/* With enlarged text the price moves below the name. */}
      <div className="flex flex-wrap justify-between gap-x-3">
        <div className="min-w-0 flex-1 basis-40">
          <h3 lang={langOf(toolName)} className="wrap-anywhere text-base leading-snug tracking-normal">
            {toolName}
          </h3>
          {facts === "" ? null : <p className="text-muted text-xs">{facts}</p>}
        </div>
        <p className="font-semibold text-base">{price}</p>
      </div>
      <div className="col-span-2 mt-1 flex flex-wrap items-center gap-x-3 gap-y-1 sm:col-span-1 sm:col-start-2">
        <Badge tone={status.tone}>{status.label}</Badge>
        <span className="text-muted text-xs">
          <DateOnly date={createdAt} />
        </span>
        <span className="ml-auto flex flex-wrap gap-2">
          {purchase.status === "awaiting-payment" ? <ContinueButton purchase={purchase} /> : null}
          <LinkButton
            to={orderPath(id)}
            size="small"
            aria-label={t(hasReceipt(purchase) ? "Receipt for {tool}" : "Details for {tool}", {
              tool: toolName,
            })}
          >
            {t(hasReceipt(purchase) ? "Receipt" : "Details")}
          </LinkButton>
        </span>
      </div>
      {lines.map((refund) => (
        <p key={refund.key} className="col-span-2 text-sm sm:col-span-1 sm:col-start-2">
          {tNodes(refundAmountMessage(refund.status), {
            price: <Money key="price">{formatPaise(refund.amountPaise)}</Money>,
          })}
        </p>
      ))}
      {declined === null ? null : (
        <p className="wrap-anywhere col-span-2 text-sm sm:col-span-1 sm:col-start-2">{declined}</p>
      )}
      <p className="col-span-2 text-muted text-xs max-sm:mt-5 sm:col-span-1 sm:col-start-2">
        {tNodes("Order number {number}", {
          number: <OrderNumber key="number" number={orderNumber} toolName={toolName} />,
        })}
      </p>
    </div>
  );
}

function Pages({ page, pages }: { page: number; pages: number }) {
  const to = (target: number) => ({ search: target === 1 ? "" : `?page=${target}`, hash: "orders" });
  return (
    <nav aria-label={t("Pages of orders")} className="flex flex-wrap items-center justify-between gap-3">
      {page > 1 ? <LinkButton to={to(page - 1)}>{t("Newer orders")}</LinkButton> : <span />}
      <span className="text-muted text-sm tabular-nums">{t("Page {page} of {pages}", { page, pages })}</span>
      {page < pages ? <LinkButton to={to(page + 1)}>{t("Older orders")}</LinkButton> : <span />}
    </nav>
  );
}

/** The number of an order, to be copied for support. One click selects all of it where copying is refused. */
export function OrderNumber({ number, toolName }: { number: string; toolName: string }) {
  const { state, copy } = useCopy(number);
  return (
    <span className="inline-flex max-w-full items-center gap-x-1">
      <code translate="no" className="select-all font-mono text-xs">
        {number}
      </code>
      <button
        type="button"
        aria-label={t(
          state === "copied" ? "Copied! the order number of {tool}" : "Copy the order number of {tool}",
          { tool: toolName },
        )}
        onClick={() => void copy()}
        className="-my-3 inline-flex min-h-11 min-w-11 shrink-0 items-center justify-center rounded-control px-1 font-medium text-accent text-xs underline-offset-4 hover:underline print:hidden"
      >
        {t(state === "copied" ? "Copied!" : "Copy")}
      </button>
      <LiveRegion message={state === "copied" ? t("The order number was copied") : ""} />
    </span>
  );
}
