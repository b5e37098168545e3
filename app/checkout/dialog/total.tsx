import type { Quote } from "#core/checkout/pricing.ts";
import { formatPaise } from "#core/money.ts";
import { addDays } from "#core/time.ts";
import { DateTime } from "../../date-time.tsx";
import { Money } from "../../ui/money.tsx";
import type { PricingOption } from "../endpoints/api-schemas.ts";
import { useServerClock } from "./use-server-clock.ts";

interface TotalProps {
  option: PricingOption;
  quote: Quote;
  /** The server's time when it sent the offer. */
  serverTime: Date;
}

const ROW = "flex flex-wrap items-baseline gap-x-4";

/** The charged amount, and the end of access for a payment made now. */
export function Total({ option, quote, serverTime }: TotalProps) {
  const { listPricePaise, discountPaise, chargedPaise: charged } = quote;
  const until = addDays(useServerClock(serverTime), option.validityDays);
  const original = option.originalPricePaise ?? 0;
  const struck = discountPaise > 0 ? listPricePaise : original;
  return (
    <dl>
      <div className={ROW}>
        <dt className="font-medium">Total</dt>
        <dd className="ml-auto flex flex-wrap items-baseline justify-end gap-x-2">
          {struck > charged ? <Money struck>{formatPaise(struck)}</Money> : null}
          <Money className="font-semibold text-xl tracking-tight">{formatPaise(charged)}</Money>
        </dd>
      </div>
      <div className={ROW}>
        <dt className="text-muted text-xs">
          Access until <DateTime date={until} />
        </dt>
        <dd className="ml-auto text-right text-green text-xs tabular-nums">
          {/* With a coupon, the coupon row shows the discount. */}
          {discountPaise === 0 && original > charged ? `You save ${formatPaise(original - charged)}` : null}
        </dd>
      </div>
    </dl>
  );
}
