import type { PassView } from "#core/entitlements/pass-view.ts";
import { formatPaise } from "#core/money.ts";
import { usePurchase } from "../checkout/purchase-provider.tsx";
import { Banner } from "../ui/banner.tsx";
import { Button } from "../ui/button.tsx";
import { Money } from "../ui/money.tsx";
import { VisuallyHidden } from "../ui/visually-hidden.tsx";
import { refundWords } from "./pass-words.ts";

/** Checkouts that are neither a pass nor over, and money that is not back yet: said plainly, before anything else. */
export function PaymentsUnderWay({
  pending,
  past,
}: {
  pending: readonly PassView[];
  past: readonly PassView[];
}) {
  const returning = past.filter(({ refund }) => refund !== null && refund.status !== "processed");
  if (pending.length === 0 && returning.length === 0) return null;
  return (
    <div className="flex flex-col gap-3">
      {pending.map((pass) =>
        pass.paymentSeen ? (
          <Banner key={pass.id} tone="warning">
            <strong className="font-semibold">Payment being confirmed</strong> · {pass.toolName},{" "}
            <Money>{formatPaise(pass.amountPaise)}</Money>. The pass appears here by itself.
          </Banner>
        ) : (
          <UnfinishedCheckout key={pass.id} pass={pass} />
        ),
      )}
      {returning.map(({ id, toolName, refund }) =>
        refund === null ? null : (
          <Banner key={id}>
            <strong className="font-semibold">{refundWords(refund.status)}</strong> · {toolName},{" "}
            <Money>{formatPaise(refund.amountPaise)}</Money>. {refund.why} Banks take up to 7 days to show it.
          </Banner>
        ),
      )}
    </div>
  );
}

/** A checkout no payment is known of. Its payment may be on the way here still, so it promises no more than that. */
function UnfinishedCheckout({ pass: { toolSlug, toolName, amountPaise } }: { pass: PassView }) {
  const { openPurchase } = usePurchase();
  return (
    <Banner>
      <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2">
        <p className="min-w-40 flex-1">
          <strong className="font-semibold">Checkout not finished</strong> · {toolName},{" "}
          <Money>{formatPaise(amountPaise)}</Money> · no payment received. If you just paid, the pass appears
          here by itself.
        </p>
        {toolSlug === null ? null : (
          <Button
            size="small"
            onClick={() => openPurchase({ slug: toolSlug, name: toolName, price: amountPaise / 100 })}
          >
            Continue<VisuallyHidden> with {toolName}</VisuallyHidden>
          </Button>
        )}
      </div>
    </Banner>
  );
}
