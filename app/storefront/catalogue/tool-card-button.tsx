import { useNavigate } from "react-router";
import type { CatalogueCard } from "#core/catalog/list-active-tools.server.ts";
import { formatDate } from "#core/time.ts";
import { pagePath } from "../../tools/page-path.ts";
import { Button } from "../../ui/button.tsx";
import { buttonClasses } from "../../ui/button-classes.ts";
import { DateText } from "../../ui/date-text.tsx";
import { VisuallyHidden } from "../../ui/visually-hidden.tsx";
import { useShared } from "../../use-shared.ts";
import type { CardAction } from "./card-action.ts";
import { chatUrl } from "../chat-url.ts";

/** Stretches the button's area over the ticket, its nearest positioned ancestor. */
const WHOLE_TICKET = "static flex-wrap gap-y-0 after:absolute after:inset-0 after:rounded-ticket";

interface TicketButtonProps {
  tool: CatalogueCard;
  action: CardAction;
  /** Until when the buyer has a running pass for it; null without one. */
  accessUntil: Date | null;
  onChoose: (tool: CatalogueCard) => void;
}

/** The one thing to do with a tool. Its name holds the tool's, so that twelve of them can be told apart by ear. */
export function TicketButton({ tool, action, accessUntil, onChoose }: TicketButtonProps) {
  const { store, timeZone } = useShared();
  const [phone] = store.supportPhones;
  const owned = accessUntil !== null;
  const navigate = useNavigate();
  if (action === "none" && !owned) {
    return (
      <Button disabled wide>
        Out of stock<VisuallyHidden> {tool.name}</VisuallyHidden>
      </Button>
    );
  }
  if (action === "contact" && phone && !owned) {
    return (
      <a
        href={chatUrl(phone.number, `Hello, I would like a pass for ${tool.name}.`)}
        target="_blank"
        rel="noreferrer"
        className={buttonClasses({ variant: "soft", wide: true }, WHOLE_TICKET)}
      >
        Contact<VisuallyHidden> about {tool.name}</VisuallyHidden>
      </a>
    );
  }
  // The same button before and after buying, so that the focus comes back to it when the purchase dialog closes.
  return (
    <Button
      variant="soft"
      wide
      className={WHOLE_TICKET}
      onClick={() => (owned ? void navigate(pagePath(tool.slug)) : onChoose(tool))}
    >
      {owned ? "Open" : action === "open" ? "Open free" : "Get access"}
      <VisuallyHidden>
        {owned || action === "open" ? " " : " to "}
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
