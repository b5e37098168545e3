import MessageCircle from "lucide-react/icons/message-circle";
import { chatUrl } from "#core/catalog/limits.ts";
import { type ButtonLook, buttonClasses } from "../../ui/class-names.ts";
import { t } from "../../ui/texts/texts.ts";
import { useShared } from "../../use-shared.ts";
import { passInquiry } from "../chat-inquiry.ts";
import { useEnglishName } from "../tool-logo.tsx";
import { NoChatNumber } from "./no-chat-number.tsx";

/** A link to the chat about a pass. A shop without a chat number shows a sentence instead of it. */
export function ContactButton({
  toolName,
  className,
  ...look
}: { toolName: string; className?: string } & ButtonLook) {
  const [phone] = useShared().store.supportPhones;
  const englishName = useEnglishName(toolName);
  if (!phone) return <NoChatNumber toolName={toolName} />;
  return (
    <a
      href={chatUrl(phone.number, passInquiry(englishName))}
      target="_blank"
      rel="noreferrer"
      className={buttonClasses(look, className)}
    >
      <MessageCircle aria-hidden="true" className="size-4.5" />
      <span>{t("Contact via WhatsApp")}</span>
    </a>
  );
}
