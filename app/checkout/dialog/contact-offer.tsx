import MessageCircle from "lucide-react/icons/message-circle";
import { chatUrl } from "#core/chat-url.ts";
import { passInquiry } from "../../storefront/chat-inquiry.ts";
import { NoChatNumber } from "../../storefront/offer/no-chat-number.tsx";
import { OptionPrices } from "../../storefront/offer/option-prices.tsx";
import { buttonClasses } from "../../ui/class-names.ts";
import { useShared } from "../../use-shared.ts";
import type { CheckoutOffer } from "../endpoints/api-schemas.ts";
import { CheckoutNotice } from "./checkout-notice.tsx";
import type { CheckoutState } from "./checkout-state.ts";

/** The offer of a tool that is sold by chat: its prices without a choice, and a link to the chat. */
export function ContactOffer({ offer, state }: { offer: CheckoutOffer; state: CheckoutState }) {
  return (
    <div className="flex h-full flex-col gap-4">
      <section>
        <h3 className="text-sm">Prices</h3>
        <OptionPrices options={offer.options} />
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
  if (!phone) return <NoChatNumber toolName={toolName} />;
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
