import { useShared } from "../../use-shared.ts";

/** In place of the link to the chat, for a tool that is sold there by a shop that has no number. */
export function NoChatNumber({ toolName }: { toolName: string }) {
  const { store } = useShared();
  return (
    <p className="rounded-control border border-line px-4 py-3">
      {store.name} has no WhatsApp number yet. Please ask for {toolName} where you heard about the shop.
    </p>
  );
}
