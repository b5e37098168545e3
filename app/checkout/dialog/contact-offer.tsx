import { formatPaise } from "#core/money.ts";
import { Money } from "../../ui/money.tsx";
import type { ShownOffer } from "../endpoints/api-schemas.ts";
import { CheckoutNotice } from "./checkout-notice.tsx";
import type { CheckoutState } from "./checkout-state.ts";
import { ContactButton } from "./contact-button.tsx";

/** A tool that is sold by talking: its prices to read, nothing to choose, and the way into the chat. */
export function ContactOffer({ offer, state }: { offer: ShownOffer; state: CheckoutState }) {
  return (
    <div className="flex h-full flex-col gap-4">
      <section>
        <h3 className="text-sm">Prices</h3>
        <ul className="mt-1 divide-y divide-line">
          {offer.options.map(({ label, pricePaise, originalPricePaise }) => (
            <li key={label} className="flex flex-wrap items-baseline justify-between gap-x-4 py-2.5">
              <span>{label}</span>
              <span className="ml-auto flex flex-wrap items-baseline justify-end gap-x-2">
                {originalPricePaise !== null && originalPricePaise > pricePaise ? (
                  <Money struck className="text-xs">
                    {formatPaise(originalPricePaise)}
                  </Money>
                ) : null}
                <Money className="font-semibold">{formatPaise(pricePaise)}</Money>
              </span>
            </li>
          ))}
        </ul>
      </section>
      <div className="mt-auto flex flex-col gap-3">
        <ContactButton toolName={offer.name} />
        <CheckoutNotice state={state} />
      </div>
    </div>
  );
}
