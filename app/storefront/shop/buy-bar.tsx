import { type ReactNode, type RefCallback, useCallback, useState } from "react";
import { createPortal } from "react-dom";
import { formatPaise } from "#core/money.ts";
import type { PricingOption } from "../../checkout/endpoints/api-schemas.ts";
import { BottomBar } from "../../ui/bottom-bar.tsx";
import { Money } from "../../ui/money.tsx";

interface BuyBarProps {
  toolName: string;
  option: PricingOption;
  /** The button to buy. */
  children: ReactNode;
}

/** The chosen option with its price and the button to buy, at the bottom of a phone's window. */
export function BuyBar({ toolName, option, children }: BuyBarProps) {
  return createPortal(
    <BottomBar label={`Buy ${toolName}`} className="lg:hidden">
      <p className="min-w-0 flex-1 py-2">
        <Money className="block font-semibold text-lg leading-tight tracking-tight">
          {formatPaise(option.pricePaise)}
        </Money>
        <span className="block text-muted text-xs">{option.label}</span>
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
export function useOutOfView(): { isOutOfView: boolean; ref: RefCallback<HTMLElement> } {
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
