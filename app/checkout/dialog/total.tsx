import type { Quote } from "#core/checkout/pricing.ts";
import { formatPaise } from "#core/money.ts";
import { addDays, formatDateTime } from "#core/time.ts";
import { DateText } from "../../ui/date-text.tsx";
import { Money } from "../../ui/money.tsx";
import type { BuyingOption } from "../endpoints/api-schemas.ts";
import { useMinute } from "./use-server-clock.ts";

interface TotalProps {
  option: BuyingOption;
  quote: Quote;
  /** By the server's clock, when the offer was made. */
  serverTime: Date;
  timeZone: string;
}

const ROW = "flex flex-wrap items-baseline gap-x-4";

/** What is paid and how long it lasts, as of paying now. */
export function Total({ option, quote, serverTime, timeZone }: TotalProps) {
  const { listPricePaise, discountPaise, chargedPaise: charged } = quote;
  const until = addDays(useMinute(serverTime), option.validityDays);
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
          Access until <DateText date={until}>{formatDateTime(until, timeZone)}</DateText>
        </dt>
        <dd className="ml-auto text-right text-green text-xs tabular-nums">
          {/* With a coupon the row above has said what it takes off. */}
          {discountPaise === 0 && original > charged ? `You save ${formatPaise(original - charged)}` : null}
        </dd>
      </div>
    </dl>
  );
}
