import type { CatalogueCard } from "#core/catalog/list-active-tools.server.ts";
import { chatUrl } from "#core/chat-url.ts";
import { pagePath } from "../../tools/page-path.ts";
import { NoScriptsLink } from "../../ui/no-scripts-link.tsx";
import { useShared } from "../../use-shared.ts";
import type { CardAction } from "../catalogue/card-action.ts";
import { chatNumberOf, passInquiry } from "../chat-inquiry.ts";
import { NoChatNumber } from "../offer/no-chat-number.tsx";

interface WithoutScriptsProps {
  tool: CatalogueCard;
  action: CardAction;
  /** Whether the buyer has an active pass for the tool. */
  hasPass: boolean;
}

/** In place of the hidden button of a shop page, in a browser without scripts: a link, or what buying needs. */
export function WithoutScripts({ tool, action, hasPass }: WithoutScriptsProps) {
  const { user, store } = useShared();
  const chatNumber = chatNumberOf(store);
  if (hasPass || action === "open") {
    return user ? (
      <NoScriptsLink variant="strong" wide href={pagePath(tool.slug)}>
        Open
      </NoScriptsLink>
    ) : (
      <NoScriptsLink variant="strong" wide href="/sign-in">{`Sign in to open ${tool.name}`}</NoScriptsLink>
    );
  }
  if (action !== "none" && tool.contactOnly) {
    if (chatNumber === null)
      return (
        <noscript>
          <NoChatNumber toolName={tool.name} />
        </noscript>
      );
    return (
      <NoScriptsLink variant="strong" wide href={chatUrl(chatNumber, passInquiry(tool.name))}>
        Contact via WhatsApp
      </NoScriptsLink>
    );
  }
  if (action !== "buy") return null;
  return (
    <noscript>
      <p className="font-medium">Buying a pass needs JavaScript. Turn it on, then reload this page.</p>
    </noscript>
  );
}
