import { chatUrl } from "#core/catalog/limits.ts";
import { useShared } from "../use-shared.ts";
import { Icon, MESSAGE } from "./icons.tsx";

/** A link to the support chat. Renders nothing in a shop without a support number. */
export function HelpLink({ about }: { about: string }) {
  const [phone] = useShared().store.supportPhones;
  if (!phone) return null;
  return (
    <a
      href={chatUrl(phone.number, `Hello, I need help with ${about}.`)}
      target="_blank"
      rel="noreferrer"
      className="inline-flex min-h-11 items-center gap-2 self-center rounded-control px-2 text-muted text-sm underline-offset-4 hover:text-ink hover:underline"
    >
      <Icon shape={MESSAGE} className="size-4 shrink-0" />
      Need help? Chat on WhatsApp
    </a>
  );
}
