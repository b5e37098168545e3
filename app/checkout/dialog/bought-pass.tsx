import CircleCheck from "lucide-react/icons/circle-check";
import { isForComputers } from "#core/catalog/rules.ts";
import { formatPaise } from "#core/money.ts";
import { addDays, hasNoEnd } from "#core/time.ts";
import { ToolLogo } from "../../storefront/tool-logo.tsx";
import { DateTime, DayAndTime } from "../../time/date-time.tsx";
import { optionLabel } from "../../time/time-texts.ts";
import { canReachExtension } from "../../tools/extension/extension-presence.ts";
import { pagePath, SHOW_CODE } from "../../tools/page-path.ts";
import { Badge } from "../../ui/badge.tsx";
import { LinkButton } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { OrderNumberText, VisuallyHidden } from "../../ui/text.tsx";
import { langOf, t, tNodes } from "../../ui/texts/texts.ts";
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
  const option = selectedOption(state);
  const start = step.startsAt ?? addDays(until, -(option?.validityDays ?? 0));
  return (
    <div className="mx-auto flex w-full max-w-[26rem] flex-1 flex-col justify-center gap-5">
      <div className="flex flex-col items-center gap-1 text-center">
        <div className="flex items-center gap-2 text-green">
          <CircleCheck aria-hidden="true" className="size-6 shrink-0" />
          <h3 className="text-lg">{t(chargedPaise > 0 ? "Payment received" : "You have access")}</h3>
        </div>
        <p className="text-muted">{paidText(chargedPaise, renews)}</p>
      </div>
      <Card className="flex flex-col border-field/60 shadow-float">
        <div className="flex flex-wrap items-center gap-3 p-5">
          <ToolLogo name={offer.name} />
          <div className="min-w-0 grow basis-24">
            <p lang={langOf(offer.name)} className="wrap-anywhere font-semibold text-base leading-snug">
              {offer.name}
            </p>
            <p className="text-muted text-xs">{option ? optionLabel(option) : null}</p>
          </div>
          <Badge tone="green">{t(renews ? "Renewed" : "Active")}</Badge>
        </div>
        <div className="perforation pass-stub flex flex-col gap-4 p-5">
          <TimeBar from={start} until={until} now={start} />
          <div className="flex flex-col gap-1">
            <p className="font-medium">
              {renews ? <RunsFrom start={start} until={until} /> : <AccessUntil date={until} />}
            </p>
            {orderNumber === undefined ? null : <OrderNumberText number={orderNumber} />}
          </div>
          <LinkButton
            to={pagePath(offer.slug)}
            variant="strong"
            wide
            className="min-h-12"
            {...(usesCode(offer) && {
              state: SHOW_CODE,
              "aria-label": t("Show code of {tool}", { tool: offer.name }),
            })}
          >
            {usesCode(offer) ? t("Show code") : <OpenToolLabel name={offer.name} />}
          </LinkButton>
        </div>
      </Card>
    </div>
  );
}

/** "Open", with the name of the tool for screen readers. */
export function OpenToolLabel({ name }: { name: string }) {
  return <>{tNodes("Open {tool}", { tool: <VisuallyHidden key="tool">{name}</VisuallyHidden> })}</>;
}

function paidText(chargedPaise: number, renews: boolean): string {
  if (chargedPaise === 0) return t(NOTHING_WAS_CHARGED);
  const amount = formatPaise(chargedPaise);
  return renews
    ? t("{amount} paid. Your pass is renewed.", { amount })
    : t("{amount} paid. Your access is ready.", { amount });
}

/** Until when a pass gives access. */
export function AccessUntil({ date }: { date: Date }) {
  if (hasNoEnd(date)) return <span>{t("No end")}</span>;
  return <>{tNodes("Access until {date}", { date: <DayAndTime key="date" date={date} /> })}</>;
}

/** When a renewal begins and ends, in two lines. */
export function RunsFrom({ start, until }: { start: Date; until: Date }) {
  const parts = {
    start: <DateTime key="start" date={start} />,
    break: <br key="break" />,
    until: <DateTime key="until" date={until} />,
  };
  return <>{tNodes("Runs from {start}{break} to {until}", parts)}</>;
}

/** On a phone, which has no extension, a tool is opened with a code. */
function usesCode({ worksOn }: CheckoutOffer): boolean {
  return !canReachExtension() && !isForComputers(worksOn);
}
