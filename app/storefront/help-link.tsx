import { chatUrl } from "#core/catalog/limits.ts";
import { t } from "../ui/texts/texts.ts";
import { useShared } from "../use-shared.ts";
import { helpInquiry } from "./chat-inquiry.ts";
import { Icon, MESSAGE } from "./icons.tsx";

/** A link to the support chat. `about` is in English: the owner reads it. Renders nothing in a shop without a support number. */
export function HelpLink({ about }: { about: string }) {
  const [phone] = useShared().store.supportPhones;
  if (!phone) return null;
  return (
    <a
      href={chatUrl(phone.number, helpInquiry(about))}
      target="_blank"
      rel="noreferrer"
      className="inline-flex min-h-11 items-center gap-2 self-center rounded-control px-2 text-muted text-sm underline-offset-4 hover:text-ink hover:underline"
    >
      <Icon shape={MESSAGE} className="size-4 shrink-0" />
      <span>{t("Need help? Chat on WhatsApp")}</span>
    </a>
  );
}
