import Check from "lucide-react/icons/check";
import ChevronDown from "lucide-react/icons/chevron-down";
import { useId, useState } from "react";
import { WorksOn } from "../../storefront/offer/works-on.tsx";
import { classNames } from "../../ui/class-names.ts";
import { Skeleton } from "../../ui/skeleton.tsx";
import type { CheckoutOffer } from "../endpoints/api-schemas.ts";

/** Features that a phone shows without a tap. */
const FEATURES_SHOWN = 3;
/** On a low screen the durations come first. */
const SHOWN_WHEN_HIGH = "max-sm:[@media(max-height:44rem)]:hidden";

/** The description of the tool, where it works and all of its features, to be read before paying. Phones fold all but the first features. */
export function WhatYouGet({ offer: { description, features, worksOn } }: { offer: CheckoutOffer }) {
  const [isOpen, setIsOpen] = useState(false);
  const contentId = useId();
  const foldedOnPhones = isOpen ? undefined : "max-sm:hidden";
  const foldingOf = (index: number) => {
    if (isOpen || index === 0) return undefined;
    return index < FEATURES_SHOWN ? SHOWN_WHEN_HIGH : "max-sm:hidden";
  };
  return (
    <section className="flex flex-col sm:gap-4">
      <h3 className="sr-only">What you get</h3>
      <div id={contentId} className="flex flex-col gap-2 sm:flex-col-reverse sm:gap-3">
        <ul className="flex flex-col gap-0.5 text-xs sm:gap-1">
          {features.map((feature, index) => (
            <li key={feature} className={classNames("flex gap-2", foldingOf(index))}>
              <Check aria-hidden="true" className="h-[1lh] w-3.5 shrink-0 text-accent" strokeWidth={2.5} />
              <span className="wrap-anywhere min-w-0">{feature}</span>
            </li>
          ))}
        </ul>
        <p className={classNames("wrap-anywhere text-muted text-xs", foldedOnPhones)}>{description}</p>
      </div>
      <div className="flex flex-wrap items-center justify-between gap-x-3">
        <button
          type="button"
          aria-expanded={isOpen}
          aria-controls={contentId}
          onClick={() => setIsOpen(!isOpen)}
          className="-ml-1 flex min-h-11 items-center gap-1 rounded-control px-1 text-muted text-xs sm:hidden"
        >
          <ChevronDown
            aria-hidden="true"
            className={classNames("size-4 transition-transform duration-150", isOpen && "rotate-180")}
          />
          {isOpen ? "Show less" : moreLabel(features.length)}
        </button>
        <WorksOn places={worksOn} className="text-xs" />
      </div>
    </section>
  );
}

function moreLabel(features: number): string {
  return features > FEATURES_SHOWN ? `All ${features} features` : "About this tool";
}

/** The same shape while the offer is being loaded. */
export function WhatYouGetSkeleton() {
  return (
    <div aria-hidden="true" className="flex flex-col gap-2 pb-11 sm:gap-3 sm:pb-0">
      <Skeleton className="hidden h-12 sm:block" />
      <Skeleton className="h-4 w-4/5" />
      <Skeleton className={`h-4 w-3/5 ${SHOWN_WHEN_HIGH}`} />
      <Skeleton className={`h-4 w-2/3 ${SHOWN_WHEN_HIGH}`} />
    </div>
  );
}
