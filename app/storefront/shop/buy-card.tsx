import { type ReactNode, type RefCallback, useCallback, useState } from "react";
import { createPortal } from "react-dom";
import { chatUrl } from "#core/catalog/limits.ts";
import type { CatalogueCard } from "#core/catalog/on-sale.server.ts";
import { cheapestOption, quotePrice } from "#core/checkout/pricing.ts";
import { formatPaise } from "#core/money.ts";
import { formatDays } from "#core/time.ts";
import type { PricingOption } from "../../checkout/checkout-api.ts";
import { OptionTickets } from "../../checkout/dialog/option-tickets.tsx";
import { optionLabel } from "../../time/time-texts.ts";
import { pagePath } from "../../tools/page-path.ts";
import { BottomBar } from "../../ui/bottom-bar.tsx";
import { NoScriptsLink } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { Money } from "../../ui/text.tsx";
import { t } from "../../ui/texts/texts.ts";
import { useShared } from "../../use-shared.ts";
import { type CardAction, decideCardAction } from "../catalogue/use-choose-tool.ts";
import { chatNumberOf, passInquiry } from "../chat-inquiry.ts";
import { Icon, UNDO } from "../icons.tsx";
import { NoChatNumber } from "../offer/no-chat-number.tsx";
import { OptionPrices } from "../offer/option-prices.tsx";
import { StockBadge, ToolButton } from "../offer/tool-button.tsx";
import { placesText } from "../offer/works-on.tsx";
import { describeSeller } from "../site-footer.tsx";
import { useEnglishName } from "../tool-logo.tsx";
import { type LinkCoupon, LinkCouponLine } from "./link-coupon.tsx";
import { StockAlert } from "./stock-alert.tsx";

interface BuyCardProps {
  tool: CatalogueCard;
  options: readonly PricingOption[];
  /** The label of the option that the buyer has chosen. */
  chosen: string | null;
  onOption: (label: string) => void;
  /** The end of the buyer's active pass for the tool; null if there is none. */
  accessUntil: Date | null;
  /** Whether the buyer wants to be told when the tool is in stock again. */
  isWaiting: boolean;
  onChoose: (tool: CatalogueCard) => void;
  coupon: LinkCoupon | null;
}

/** The prices of a tool, with a choice where it can be bought here, and the button to buy it. */
export function BuyCard({
  tool,
  options,
  chosen,
  onOption,
  accessUntil,
  isWaiting,
  onChoose,
  coupon,
}: BuyCardProps) {
  const { store, timeZone } = useShared();
  const { isOutOfView, ref } = useOutOfView();
  const { name, pricePaise, availableStock, contactOnly } = tool;
  const offered = options.length === 0 ? [singleOption(tool)] : options;
  const option = offered.find(({ label }) => label === chosen) ?? cheapestOption(offered);
  const discount = coupon?.check.name === "applied" ? coupon.check.discountPercentage : null;
  const { chargedPaise } = quotePrice(option?.pricePaise ?? pricePaise, discount);
  const action = decideCardAction(tool);
  const isFree = pricePaise === 0;
  const canBuy = action === "buy" && !contactOnly && accessUntil === null;
  const button = (
    <ToolButton
      tool={tool}
      action={action}
      accessUntil={accessUntil}
      shop={{ chatNumber: chatNumberOf(store), timeZone }}
      onChoose={onChoose}
      alone
    />
  );
  return (
    <Card data-ticket="">
      <h2 className="sr-only">{t("Price of {tool}", { tool: name })}</h2>
      <div className={canBuy ? "one-line-options p-4 max-sm:p-2.5" : "px-4 py-2"}>
        {isFree ? (
          <p className="py-3 font-semibold text-lg tracking-tight">{t("Free")}</p>
        ) : canBuy ? (
          <OptionTickets
            options={offered}
            chosen={option?.label ?? null}
            onChoose={onOption}
            disabled={false}
            note={null}
          />
        ) : (
          <OptionPrices options={offered} />
        )}
      </div>
      <div className="perforation flex flex-col gap-3 p-4 max-sm:p-2.5">
        <LinkCouponLine
          coupon={coupon}
          tool={tool}
          hasPass={accessUntil !== null}
          chargedPaise={chargedPaise}
        />
        <div ref={ref}>
          {button}
          <WithoutScripts tool={tool} action={action} hasPass={accessUntil !== null} />
        </div>
        {availableStock <= 0 && accessUntil === null ? (
          <StockAlert tool={tool} isWaiting={isWaiting} />
        ) : null}
        <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-1 text-muted text-xs empty:hidden">
          {availableStock > 0 && !isFree ? <StockBadge stock={availableStock} /> : null}
          {contactOnly && availableStock > 0 ? (
            <span>{t("Sold on WhatsApp. Message us and we’ll set it up.")}</span>
          ) : null}
          {canBuy ? (
            <span className="flex items-center gap-1.5">
              <Icon shape={UNDO} className="size-4 text-accent" />
              <span>{t("Refund if we can’t deliver")}</span>
            </span>
          ) : null}
          {canBuy && store.seller ? (
            <span className="wrap-anywhere w-full">
              {describeSeller({ name: store.seller.name, city: store.seller.city })}
            </span>
          ) : null}
        </div>
      </div>
      {canBuy && isOutOfView && option ? (
        <BuyBar toolName={name} option={option} pricePaise={chargedPaise} note={placesText(tool.worksOn)}>
          {button}
        </BuyBar>
      ) : null}
    </Card>
  );
}

/** Its label is in English, as all labels that the shop makes: `optionLabel` translates them where they are shown. */
function singleOption({ validityDays, pricePaise, originalPricePaise }: CatalogueCard): PricingOption {
  return { label: formatDays(validityDays), validityDays, pricePaise, originalPricePaise };
}

interface BuyBarProps {
  toolName: string;
  option: PricingOption;
  /** With the coupon of the link. */
  pricePaise: number;
  /** Where the tool works, when it does not work everywhere. */
  note: string | null;
  /** The button to buy. */
  children: ReactNode;
}

/** The chosen option with its price and the button to buy, at the bottom of a phone's window. */
function BuyBar({ toolName, option, pricePaise, note, children }: BuyBarProps) {
  return createPortal(
    <BottomBar label={t("Buy {tool}", { tool: toolName })} className="lg:hidden">
      <p className="min-w-0 flex-1 py-2">
        <Money className="block font-semibold text-lg leading-tight tracking-tight">
          {formatPaise(pricePaise)}
        </Money>
        <span className="block text-muted text-xs">
          {note === null ? optionLabel(option) : `${optionLabel(option)} · ${note}`}
        </span>
      </p>
      <div className="w-40 max-w-1/2 py-1.5">{children}</div>
    </BottomBar>,
    document.body,
  );
}

/** An element counts as out of view while the bar would cover it. */
const BAR_MARGIN = "0px 0px -64px 0px";
/** Not 1: with fractions of a pixel an element never counts as visible in full. */
const VISIBLE_SHARE = 0.9;

/** Whether an element is out of the window; false until the browser has said so. */
function useOutOfView(): { isOutOfView: boolean; ref: RefCallback<HTMLElement> } {
  const [isOutOfView, setOutOfView] = useState(false);
  const ref = useCallback((element: HTMLElement | null) => {
    if (element === null) return;
    const observer = new IntersectionObserver(
      (entries) => setOutOfView((entries.at(-1)?.intersectionRatio ?? 1) < VISIBLE_SHARE),
      { rootMargin: BAR_MARGIN, threshold: VISIBLE_SHARE },
    );
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  return { isOutOfView, ref };
}

interface WithoutScriptsProps {
  tool: CatalogueCard;
  action: CardAction;
  /** Whether the buyer has an active pass for the tool. */
  hasPass: boolean;
}

/** In place of the hidden button of a shop page, in a browser without scripts: a link, or what buying needs. */
function WithoutScripts({ tool, action, hasPass }: WithoutScriptsProps) {
  const { user, store } = useShared();
  const chatNumber = chatNumberOf(store);
  const englishName = useEnglishName(tool.name);
  if (hasPass || action === "open") {
    return user ? (
      <NoScriptsLink variant="strong" wide href={pagePath(tool.slug)}>
        {t("Open")}
      </NoScriptsLink>
    ) : (
      <NoScriptsLink variant="strong" wide href="/sign-in">
        {t("Sign in to open {tool}", { tool: tool.name })}
      </NoScriptsLink>
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
      <NoScriptsLink variant="strong" wide href={chatUrl(chatNumber, passInquiry(englishName))}>
        {t("Contact via WhatsApp")}
      </NoScriptsLink>
    );
  }
  if (action !== "buy") return null;
  return (
    <noscript>
      <p className="font-medium">{t("Buying a pass needs JavaScript. Turn it on, then reload this page.")}</p>
    </noscript>
  );
}
