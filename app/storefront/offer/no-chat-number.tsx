import { t } from "../../ui/texts/texts.ts";
import { useShared } from "../../use-shared.ts";

/** In place of the link to the chat, for a tool that is sold there by a shop that has no number. */
export function NoChatNumber({ toolName }: { toolName: string }) {
  const { store } = useShared();
  return (
    <p className="rounded-control border border-line px-4 py-3">
      {t("{shop} has no WhatsApp number yet. Please ask for {tool} where you heard about the shop.", {
        shop: store.name,
        tool: toolName,
      })}
    </p>
  );
}
