import { formatPaise } from "#core/money.ts";
import type { PassView } from "#core/passes/list-my-passes.server.ts";
import {
  BANK_DAYS_MAXIMUM,
  refundMessage,
  UNCAPTURED_RETURN_MS,
  UNCAPTURED_RETURNS,
} from "#core/refund-reasons.ts";
import { dismissCheckout, useIsDismissed } from "../checkout/dismissed-checkouts.ts";
import { usePurchase } from "../checkout/purchase-provider.tsx";
import { Banner } from "../ui/banner.tsx";
import { Button } from "../ui/button.tsx";
import { Money } from "../ui/text.tsx";
import { t, tNodes, translate } from "../ui/texts/texts.ts";
import { isUnderWay, refundStatusMessage } from "./purchase-words.ts";

interface PaymentBannersProps {
  pending: readonly PassView[];
  past: readonly PassView[];
  /** The server's time when it sent the passes. */
  now: Date;
}

/** Banners for open checkouts, for refunds that are not processed yet and for uncaptured payments. */
export function PaymentBanners({ pending, past, now }: PaymentBannersProps) {
  const openRefunds = past.flatMap(({ id, toolName, refunds }) =>
    refunds.filter(isUnderWay).map((refund, index) => ({ key: `${id} ${index}`, toolName, refund })),
  );
  const uncapturedPayments = past.flatMap(({ id, toolName, uncapturedPayment }) =>
    uncapturedPayment && now.getTime() < uncapturedPayment.at.getTime() + UNCAPTURED_RETURN_MS
      ? [{ id, toolName, ...uncapturedPayment }]
      : [],
  );
  if (pending.length + openRefunds.length + uncapturedPayments.length === 0) return null;
  return (
    <div className="flex flex-col gap-3">
      {pending.map((pass) =>
        pass.paymentSeen ? (
          <Banner key={pass.id} tone="warning">
            {tNodes(
              "{status} · {tool}, {price}. Your pass will appear here. If we can’t deliver it, you’re refunded automatically.",
              paymentFacts(t("Payment being confirmed"), pass),
            )}
          </Banner>
        ) : (
          <UnfinishedCheckout key={pass.id} pass={pass} />
        ),
      )}
      {openRefunds.map(({ key, toolName, refund }) => (
        <Banner key={key}>
          {tNodes(
            refund.status === "held"
              ? "{status} · {tool}, {price}. {why} You disputed this payment at your bank. Once the bank has decided, the money comes back from the bank or from us."
              : refund.why === refundMessage("cancelled-and-given-back")
                ? "{status} · {tool}, {price}. {why} If it has not arrived in a few days, please contact us."
                : "{status} · {tool}, {price}. {why} Banks take up to {days} days to show it.",
            {
              ...paymentFacts(refundStatusMessage(refund.status), { toolName, ...refund }),
              why: translate(refund.why ?? ""),
              days: BANK_DAYS_MAXIMUM,
            },
          )}
        </Banner>
      ))}
      {uncapturedPayments.map(({ id, toolName, amountPaise, why }) => (
        <Banner key={id}>
          {tNodes(
            "{status} · {tool}, {price}. {why} If the amount has left your account, your bank returns it automatically, {time}.",
            {
              ...paymentFacts(t("Payment not taken"), { toolName, amountPaise }),
              why: translate(why ?? ""),
              time: t(UNCAPTURED_RETURNS),
            },
          )}
        </Banner>
      ))}
    </div>
  );
}

/** What the text of a banner begins with. */
function paymentFacts(status: string, payment: Pick<PassView, "toolName" | "amountPaise">) {
  return {
    status: (
      <strong key="status" className="font-semibold">
        {status}
      </strong>
    ),
    tool: payment.toolName,
    price: <Money key="price">{formatPaise(payment.amountPaise)}</Money>,
  };
}

/**
 * An open checkout without a known payment. A payment may still arrive, so the text does not say that nothing was paid.
 */
function UnfinishedCheckout({ pass }: { pass: PassView }) {
  const { id, toolName, declined } = pass;
  if (useIsDismissed(id)) return null;
  return (
    <Banner>
      <div className="flex flex-col items-start gap-x-4 gap-y-2 sm:flex-row sm:items-center">
        <p className="min-w-0 flex-1">
          {tNodes(
            declined
              ? "{status} · {tool}, {price}. You can pay again."
              : "{status} · {tool}, {price}. No payment received yet. If you just paid, your pass will appear here.",
            paymentFacts(t(declined ? "Payment declined" : "Payment not finished"), pass),
          )}
        </p>
        <div className="flex flex-wrap items-center gap-2">
          <ContinueButton purchase={pass} />
          <Button
            size="small"
            variant="quiet"
            aria-label={t("Dismiss the payment for {tool}", { tool: toolName })}
            onClick={() => {
              dismissCheckout(id);
              // The button that has the focus disappears.
              document.getElementById("content")?.focus({ preventScroll: true });
            }}
          >
            {t("Dismiss")}
          </Button>
        </div>
      </div>
    </Banner>
  );
}

/** Goes on with an open checkout in the purchase dialog. Renders nothing without the slug of the tool. */
export function ContinueButton({
  purchase: { toolSlug, toolName, amountPaise },
}: {
  purchase: Pick<PassView, "toolSlug" | "toolName" | "amountPaise">;
}) {
  const { openPurchase } = usePurchase();
  if (toolSlug === null) return null;
  return (
    <Button
      size="small"
      aria-label={t("Continue with {tool}", { tool: toolName })}
      onClick={() => openPurchase({ slug: toolSlug, name: toolName, price: amountPaise / 100 })}
    >
      {t("Continue")}
    </Button>
  );
}
