import CircleCheck from "lucide-react/icons/circle-check";
import { isForComputers } from "#core/catalog/rules.ts";
import { formatPaise } from "#core/money.ts";
import { addDays } from "#core/time.ts";
import { DateTime } from "../../date-time.tsx";
import { ToolLogo } from "../../storefront/tool-logo.tsx";
import { canReachExtension } from "../../tools/extension/extension-presence.ts";
import { pagePath } from "../../tools/page-path.ts";
import { Badge } from "../../ui/badge.tsx";
import { LinkButton } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { VisuallyHidden } from "../../ui/text.tsx";
import { TimeBar } from "../../ui/time.tsx";
import type { CheckoutOffer } from "../checkout-api.ts";
import { NOTHING_WAS_CHARGED } from "./checkout-messages.ts";
import { type CheckoutState, type Step, selectedOption } from "./checkout-state.ts";

interface BoughtPassProps {
  state: CheckoutState;
  step: Extract<Step, { name: "success" }>;
  offer: CheckoutOffer;
}

/**
 * What the sheet of a tool becomes by its purchase: the pass, with the way to use it on this device. A renewal starts when the
 * pass of today ends.
 */
export function BoughtPass({ state, step, offer }: BoughtPassProps) {
  const { until, chargedPaise, orderNumber } = step;
  const { renews = false } = state;
  const start = step.startsAt ?? addDays(until, -(selectedOption(state)?.validityDays ?? 0));
  return (
    <div className="mx-auto flex w-full max-w-[26rem] flex-1 flex-col justify-center gap-5">
      <div className="flex flex-col items-center gap-1 text-center">
        <div className="flex items-center gap-2 text-green">
          <CircleCheck aria-hidden="true" className="size-6 shrink-0" />
          <h3 className="text-lg">{chargedPaise > 0 ? "Payment received" : "You have access"}</h3>
        </div>
        <p className="text-muted">
          {chargedPaise > 0
            ? `${formatPaise(chargedPaise)} paid. ${renews ? "Your pass is renewed." : "Your access is ready."}`
            : NOTHING_WAS_CHARGED}
        </p>
      </div>
      <Card className="flex flex-col border-field/60 shadow-float">
        <div className="flex flex-wrap items-center gap-3 p-5">
          <ToolLogo name={offer.name} />
          <div className="min-w-0 grow basis-24">
            <p className="wrap-anywhere font-semibold text-base leading-snug">{offer.name}</p>
            <p className="text-muted text-xs">{state.optionLabel}</p>
          </div>
          <Badge tone="green">{renews ? "Renewed" : "Active"}</Badge>
        </div>
        <div className="perforation pass-stub flex flex-col gap-4 p-5">
          <TimeBar from={start} until={until} now={start} />
          <div className="flex flex-col gap-1">
            <p className="font-medium">
              {renews ? (
                <>
                  <span className="block">
                    Runs from <DateTime date={start} />
                  </span>{" "}
                  to <DateTime date={until} />
                </>
              ) : (
                <>
                  Access until <DateTime date={until} />
                </>
              )}
            </p>
            {orderNumber === undefined ? null : (
              <p className="text-muted text-xs">
                Order number <code className="select-all font-mono text-ink">{orderNumber}</code>
              </p>
            )}
          </div>
          <LinkButton to={pagePath(offer.slug)} variant="strong" wide className="min-h-12">
            {usesCode(offer) ? "Show code" : "Open"}
            <VisuallyHidden>
              {usesCode(offer) ? " of " : " "}
              {offer.name}
            </VisuallyHidden>
          </LinkButton>
        </div>
      </Card>
    </div>
  );
}

/** On a phone, which has no extension, a tool is opened with a code. The page shows it after a press only. */
function usesCode({ worksOn }: CheckoutOffer): boolean {
  return !canReachExtension() && !isForComputers(worksOn);
}
