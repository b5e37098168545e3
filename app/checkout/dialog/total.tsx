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
  const { listPricePaise, chargedPaise: charged } = quote;
  const until = addDays(useServerClock(serverTime), option.validityDays);
  // What the coupon takes off is a part of what the buyer saves.
  const before = Math.max(option.originalPricePaise ?? 0, listPricePaise);
  return (
    <dl>
      <div className={ROW}>
        <dt className="font-medium">Total</dt>
        <dd className="ml-auto flex flex-wrap items-baseline justify-end gap-x-2">
          {before > charged ? <Money struck>{formatPaise(before)}</Money> : null}
          <Money className="font-semibold text-xl tracking-tight">{formatPaise(charged)}</Money>
        </dd>
      </div>
      <div className={ROW}>
        <dt className="text-muted text-xs">
          Access until <DateTime date={until} />
        </dt>
        <dd className="ml-auto text-right text-green text-xs tabular-nums">
          {before > charged ? `You save ${formatPaise(before - charged)}` : null}
        </dd>
      </div>
    </dl>
  );
}
