import { Link, useNavigate } from "react-router";
import { chatUrl, LOW_STOCK } from "#core/catalog/limits.ts";
import type { CatalogueCard } from "#core/catalog/on-sale.server.ts";
import { formatDate, hasNoEnd } from "#core/time.ts";
import { pendingAlert } from "../../auth/pending-choice.ts";
import { pagePath } from "../../tools/page-path.ts";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { buttonClasses } from "../../ui/class-names.ts";
import { PartlyHidden, VisuallyHidden } from "../../ui/text.tsx";
import { type Elements, t, tNodes } from "../../ui/texts/texts.ts";
import { DateText } from "../../ui/time.tsx";
import { shopPath } from "../catalogue/catalogue-params.ts";
import type { CardAction } from "../catalogue/use-choose-tool.ts";
import { passInquiry } from "../chat-inquiry.ts";
import { useEnglishName } from "../tool-logo.tsx";

const WHOLE_CARD = "whole-ticket";
const ALONE = "w-full flex-wrap gap-y-0 min-h-12";

/** What the button shows of the shop. */
export interface ButtonShop {
  /** The number of the chat in which tools are sold; null if there is none. */
  chatNumber: string | null;
  timeZone: string;
}

interface AlertLinkProps {
  slug: string;
  className: string;
  children?: Elements;
}

/** Leads to the shop page of a tool out of stock, which sets the alert of a signed-in buyer; a visitor presses its button. */
export function AlertLink({ slug, className, children }: AlertLinkProps) {
  return (
    <Link to={shopPath(slug)} onClick={() => pendingAlert.remember(slug)} className={className}>
      <span>{t("Tell me when it’s back")}</span>
      {children}
    </Link>
  );
}

interface ToolButtonProps {
  tool: CatalogueCard;
  action: CardAction;
  /** The end of the buyer's active pass for the tool; null if there is none. */
  accessUntil: Date | null;
  onChoose: (tool: CatalogueCard) => void;
  shop: ButtonShop;
  /** The only button of a page, not of a card in a list. */
  alone?: boolean;
}

/**
 * The action of a tool on its card and on its shop page. Its accessible name contains the tool's name, so that screen
 * readers can distinguish the cards.
 */
export function ToolButton({ tool, action, accessUntil, onChoose, shop, alone = false }: ToolButtonProps) {
  const { chatNumber, timeZone } = shop;
  const hasPass = accessUntil !== null;
  const navigate = useNavigate();
  const englishName = useEnglishName(tool.name);
  if (action === "none" && !hasPass) {
    return (
      <Button disabled className={alone ? ALONE : ""}>
        <span>{t("Out of stock")}</span>
        <VisuallyHidden>{` ${tool.name}`}</VisuallyHidden>
      </Button>
    );
  }
  if (action === "contact" && chatNumber !== null && !hasPass) {
    return (
      <a
        href={chatUrl(chatNumber, passInquiry(englishName))}
        target="_blank"
        rel="noreferrer"
        aria-label={t("Contact about {tool}", { tool: tool.name })}
        className={buttonClasses({ variant: alone ? "strong" : "soft" }, alone ? ALONE : WHOLE_CARD)}
      >
        {t("Contact")}
      </a>
    );
  }
  // The same element before and after a purchase, so that the closing purchase dialog can restore the focus.
  return (
    <Button
      variant={alone || tool.popularPlace === 1 ? "strong" : "soft"}
      className={alone ? ALONE : WHOLE_CARD}
      onClick={() => (hasPass ? void navigate(pagePath(tool.slug)) : onChoose(tool))}
    >
      {accessUntil === null ? (
        <PartlyHidden {...textsOf(tool, action)} />
      ) : (
        <OpenUntil toolName={tool.name} date={accessUntil} timeZone={timeZone} />
      )}
    </Button>
  );
}

/** What the way to a pass says: its end, if any. */
export function OpenUntil({ toolName, date, timeZone }: { toolName: string; date: Date; timeZone: string }) {
  return (
    // Two lines are as high as the one of other buttons, so that a card keeps its height when it gets a pass.
    <span className="-my-1 leading-tight">
      {tNodes(hasNoEnd(date) ? "Open {tool}" : "Open {tool} until {date}", {
        tool: <VisuallyHidden key="tool">{toolName}</VisuallyHidden>,
        date: (
          <span key="date" className="font-normal">
            <DateText date={date}>{formatDate(date, timeZone)}</DateText>
          </span>
        ),
      })}
    </span>
  );
}

/** What the button of a tool says without a pass for it, and what it shows of that. */
function textsOf(
  { name: tool, contactOnly }: CatalogueCard,
  action: CardAction,
): { text: string; shown: string } {
  if (action === "open") return { text: t("Open free {tool}", { tool }), shown: t("Open free") };
  return contactOnly
    ? { text: t("Contact about {tool}", { tool }), shown: t("Contact") }
    : { text: t("Get access to {tool}", { tool }), shown: t("Get access") };
}

/** How many passes are left. Few of them stand out. */
export function StockBadge({ stock }: { stock: number }) {
  return (
    <Badge key={stock} tone={stock < LOW_STOCK ? "warning" : "neutral"}>
      {t("{count} left", { count: stock })}
    </Badge>
  );
}
