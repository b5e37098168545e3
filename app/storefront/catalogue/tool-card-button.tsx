import { useNavigate } from "react-router";
import type { CatalogueCard } from "#core/catalog/list-active-tools.server.ts";
import { formatDate } from "#core/time.ts";
import { pagePath } from "../../tools/page-path.ts";
import { Button } from "../../ui/button.tsx";
import { buttonClasses } from "../../ui/class-names.ts";
import { VisuallyHidden } from "../../ui/screen-reader-text.tsx";
import { DateText } from "../../ui/time/time-text.tsx";
import { useShared } from "../../use-shared.ts";
import { chatUrl, passInquiry } from "../chat-url.ts";
import type { CardAction } from "./card-action.ts";

/** Extends the button's area over the whole card, its nearest positioned ancestor. */
const WHOLE_CARD = "static flex-wrap gap-y-0 after:absolute after:inset-0 after:rounded-ticket";

interface ToolCardButtonProps {
  tool: CatalogueCard;
  action: CardAction;
  /** The end of the buyer's active pass for the tool; null without one. */
  accessUntil: Date | null;
  onChoose: (tool: CatalogueCard) => void;
}

/**
 * The action of a tool's card. Its accessible name contains the tool's name, so that screen readers can distinguish the
 * cards.
 */
export function ToolCardButton({ tool, action, accessUntil, onChoose }: ToolCardButtonProps) {
  const { store, timeZone } = useShared();
  const [phone] = store.supportPhones;
  const hasPass = accessUntil !== null;
  const navigate = useNavigate();
  if (action === "none" && !hasPass) {
    return (
      <Button disabled wide>
        Out of stock<VisuallyHidden> {tool.name}</VisuallyHidden>
      </Button>
    );
  }
  if (action === "contact" && phone && !hasPass) {
    return (
      <a
        href={chatUrl(phone.number, passInquiry(tool.name))}
        target="_blank"
        rel="noreferrer"
        className={buttonClasses({ variant: "soft", wide: true }, WHOLE_CARD)}
      >
        Contact<VisuallyHidden> about {tool.name}</VisuallyHidden>
      </a>
    );
  }
  // The same element before and after a purchase, so that the closing purchase dialog can restore the focus.
  return (
    <Button
      variant="soft"
      wide
      className={WHOLE_CARD}
      onClick={() => (hasPass ? void navigate(pagePath(tool.slug)) : onChoose(tool))}
    >
      {hasPass ? "Open" : action === "open" ? "Open free" : "Get access"}
      <VisuallyHidden>
        {hasPass || action === "open" ? " " : " to "}
        {tool.name}
      </VisuallyHidden>
      {accessUntil ? (
        <span className="font-normal text-muted">
          {" · until "}
          <DateText date={accessUntil}>{formatDate(accessUntil, timeZone)}</DateText>
        </span>
      ) : null}
    </Button>
  );
}
