import MessageCircle from "lucide-react/icons/message-circle";
import { formatPaise } from "#core/money.ts";
import { chatUrl, passInquiry } from "../../storefront/chat-url.ts";
import { buttonClasses } from "../../ui/class-names.ts";
import { Money } from "../../ui/money.tsx";
import { useShared } from "../../use-shared.ts";
import type { CheckoutOffer } from "../endpoints/api-schemas.ts";
import { CheckoutNotice } from "./checkout-notice.tsx";
import type { CheckoutState } from "./checkout-state.ts";
import { PricePerDay } from "./price-per-day.tsx";

/** The offer of a tool that is sold by chat: its prices without a choice, and a link to the chat. */
export function ContactOffer({ offer, state }: { offer: CheckoutOffer; state: CheckoutState }) {
  return (
    <div className="flex h-full flex-col gap-4">
      <section>
        <h3 className="text-sm">Prices</h3>
        <ul className="mt-1 divide-y divide-line">
          {offer.options.map((option) => (
            <li key={option.label} className="flex flex-wrap items-baseline justify-between gap-x-4 py-2.5">
              <span className="flex flex-col">
                <span>{option.label}</span> <PricePerDay option={option} options={offer.options} />
              </span>
              <span className="ml-auto flex flex-wrap items-baseline justify-end gap-x-2">
                {option.originalPricePaise !== null && option.originalPricePaise > option.pricePaise ? (
                  <Money struck className="text-xs">
                    {formatPaise(option.originalPricePaise)}
                  </Money>
                ) : null}
                <Money className="font-semibold">{formatPaise(option.pricePaise)}</Money>
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

/** A shop without a chat number shows a sentence instead of the link. */
function ContactButton({ toolName }: { toolName: string }) {
  const { store } = useShared();
  const [phone] = store.supportPhones;
  if (!phone) {
    return (
      <p className="rounded-control border border-line px-4 py-3">
        {store.name} has no WhatsApp number yet. Please ask for {toolName} where you heard about the shop.
      </p>
    );
  }
  return (
    <a
      href={chatUrl(phone.number, passInquiry(toolName))}
      target="_blank"
      rel="noreferrer"
      className={buttonClasses({ variant: "strong", wide: true }, "min-h-12")}
    >
      <MessageCircle aria-hidden="true" className="size-4.5" />
      Contact via WhatsApp
    </a>
  );
}
