import MessageCircle from "lucide-react/icons/message-circle";
import { chatUrl } from "../../storefront/chat-url.ts";
import { buttonClasses } from "../../ui/button-classes.ts";
import { useShared } from "../../use-shared.ts";

/** For tools that are sold by talking. Without a number of the shop it says how else. */
export function ContactButton({ toolName }: { toolName: string }) {
  const { store } = useShared();
  const [phone] = store.supportPhones;
  if (!phone) {
    return (
      <p className="rounded-control border border-line px-4 py-3">
        {store.name} has no chat number yet. Please ask for {toolName} where you heard of the shop.
      </p>
    );
  }
  return (
    <a
      href={chatUrl(phone.number, `Hello, I would like a pass for ${toolName}.`)}
      target="_blank"
      rel="noreferrer"
      className={buttonClasses({ variant: "strong", wide: true }, "min-h-12")}
    >
      <MessageCircle aria-hidden="true" className="size-4.5" />
      Contact via WhatsApp
    </a>
  );
}
