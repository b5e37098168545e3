import Hourglass from "lucide-react/icons/hourglass";
import Ticket from "lucide-react/icons/ticket";
import Undo from "lucide-react/icons/undo-2";
import WifiOff from "lucide-react/icons/wifi-off";
import { type ReactNode, useEffect, useRef } from "react";
import { formatPaise } from "#core/money.ts";
import { BANK_DAYS_MAXIMUM, UNCAPTURED_RETURNS } from "#core/refund-reasons.ts";
import { hasNoEnd } from "#core/time.ts";
import { messageForCode } from "../../errors/error-messages.ts";
import { HelpLink } from "../../storefront/help-link.tsx";
import { useEnglishName } from "../../storefront/tool-logo.tsx";
import { DateOnly } from "../../time/date-time.tsx";
import { pagePath } from "../../tools/page-path.ts";
import { Button, LinkButton } from "../../ui/button.tsx";
import { CHECK_CONNECTION, NETWORK_ERROR_MESSAGE } from "../../ui/shop-connection.tsx";
import { type Elements, t, tNodes, translate } from "../../ui/texts/texts.ts";
import { AccessUntil, BoughtPass, OpenToolLabel } from "./bought-pass.tsx";
import { keptChoice, NOTHING_WAS_CHARGED } from "./checkout-messages.ts";
import type { CheckoutState } from "./checkout-state.ts";

const NOT_DELIVERED = "We couldn’t deliver this purchase.";
const LATE_TITLES = {
  bank: "Your bank hasn’t answered yet",
  unreachable: "We can’t reach the shop",
  "signed-out": "You’re signed out",
} as const;

interface OutcomeProps {
  state: CheckoutState;
  signedIn: boolean;
  onSignIn: () => void;
  onClose: () => void;
  onRenew: () => void;
  onRetry: () => void;
}

/**
 * The panel in place of the order summary: what happened, and the next action. Null while there is something to pay.
 */
export function Outcome({ state, signedIn, onSignIn, onClose, onRenew, onRetry }: OutcomeProps) {
  const { step, offer } = state;
  const name = useEnglishName(offer?.name ?? "a pass");
  const open = offer ? (
    <NextPageLink to={pagePath(offer.slug)}>
      <OpenToolLabel name={offer.name} />
    </NextPageLink>
  ) : null;
  const retryButton = (label: string) => (
    <Button wide className="min-h-12" onClick={onRetry}>
      {label}
    </Button>
  );
  switch (step.name) {
    case "owned": {
      const renewal = describeRenewal(offer);
      const isAnswer = state.renews === true && renewal !== null;
      return (
        <Panel
          icon={<Ticket />}
          title={isAnswer ? renewal : messageForCode("already-owned")}
          action={
            <div className="flex flex-col gap-2">
              {open}
              {offer?.canRenew ? (
                <Button wide className="min-h-12" onClick={onRenew}>
                  {t("Renew now")}
                </Button>
              ) : null}
            </div>
          }
        >
          <p>{step.until ? <AccessUntil date={step.until} /> : t("You’ll find it on your dashboard.")}</p>
          {renewal === null || isAnswer ? null : <p>{renewal}</p>}
        </Panel>
      );
    }
    case "success":
      return offer ? (
        <PanelFrame isGood>
          <BoughtPass state={state} step={step} offer={offer} />
        </PanelFrame>
      ) : null;
    case "free":
      return (
        <Panel
          key={String(signedIn)}
          icon={<Ticket />}
          title={t("This tool is free")}
          action={
            signedIn ? (
              open
            ) : (
              <Button variant="strong" wide className="min-h-12" onClick={onSignIn}>
                {t("Sign in")}
              </Button>
            )
          }
        >
          <p>{signedIn ? t("There is nothing to pay.") : messageForCode("unauthenticated")}</p>
        </Panel>
      );
    case "refunded":
      return (
        <Panel icon={<Undo />} title={t("Your payment is being refunded")} action={<DashboardLink />}>
          <p>{translate(step.reason || NOT_DELIVERED)}</p>
          <p>
            {`${t("Your {amount} goes back to the account or card you paid with.", {
              amount: formatPaise(step.amountPaise),
            })} ${t("Banks take 5 to {days} days to show it.", { days: BANK_DAYS_MAXIMUM })}`}
          </p>
        </Panel>
      );
    case "not-taken":
      return (
        <Panel icon={<Undo />} title={t("We didn’t take your payment")} action={<DashboardLink />}>
          <p>{translate(step.reason || NOT_DELIVERED)}</p>
          <p>
            {t("If {amount} has left your account, your bank returns it automatically, {when}.", {
              amount: formatPaise(step.amountPaise),
              when: t(UNCAPTURED_RETURNS),
            })}
          </p>
        </Panel>
      );
    case "cancelled":
      return (
        <Panel
          icon={<Ticket />}
          title={t("The shop has cancelled this purchase")}
          action={
            <div className="flex flex-col gap-2">
              <DashboardLink />
              <HelpLink about={`my cancelled purchase of ${name}`} />
            </div>
          }
        >
          <p>{t("Please contact us if you have any questions.")}</p>
        </Panel>
      );
    case "late":
      return (
        <Panel
          icon={step.cause === "unreachable" ? <WifiOff /> : <Hourglass />}
          title={t(LATE_TITLES[step.cause])}
          action={
            <div className="flex flex-col gap-2">
              <DashboardLink />
              {retryButton(t("Check again"))}
              <HelpLink about={`my payment for ${name}`} />
            </div>
          }
        >
          <p>{lateText(step.cause)}</p>
        </Panel>
      );
    case "missing":
      return (
        <Panel
          icon={<Ticket />}
          title={messageForCode("tool-not-found")}
          action={<CloseButton onClick={onClose} />}
        >
          <p>{t("We don’t sell it any more.")}</p>
        </Panel>
      );
    case "unreachable":
      return (
        <Panel icon={<WifiOff />} title={t(NETWORK_ERROR_MESSAGE)} action={retryButton(t("Try again"))}>
          <p>{`${t(NOTHING_WAS_CHARGED)} ${keptChoice(state)}`.trim()}</p>
        </Panel>
      );
    default:
      return null;
  }
}

type LateCause = keyof typeof LATE_TITLES;

function lateText(cause: LateCause): string {
  if (cause === "signed-out")
    return t(
      "Your money is safe; please don’t pay again. Sign in to see your pass. If you deleted your account, the payment goes back to where you paid from.",
    );
  return [
    t("Your money is safe."),
    ...(cause === "unreachable" ? [t(CHECK_CONNECTION)] : []),
    t(
      "Your access will appear on your dashboard as soon as the payment is confirmed; please don’t pay again.",
    ),
  ].join(" ");
}

/** Whether and when the pass can be renewed; null: now, or it has no end. */
function describeRenewal(offer: CheckoutState["offer"]): Elements {
  if (offer === null || (offer.ownedUntil && hasNoEnd(offer.ownedUntil))) return null;
  const { renewedUntil, renewalSoldOut, renewableFrom, name } = offer;
  if (renewedUntil)
    return (
      <span>
        {hasNoEnd(renewedUntil)
          ? t("Renewed without an end.")
          : tNodes("Renewed until {date}.", { date: <DateOnly key="date" date={renewedUntil} /> })}
      </span>
    );
  if (renewalSoldOut)
    return (
      <span>{t("{tool} is sold out right now. You can renew when it’s back in stock.", { tool: name })}</span>
    );
  if (!renewableFrom) return null;
  return (
    <span>
      {tNodes("You can renew from {date}.", { date: <DateOnly key="date" date={renewableFrom} /> })}
    </span>
  );
}

function DashboardLink() {
  return <NextPageLink to="/dashboard">{t("Go to dashboard")}</NextPageLink>;
}

/**
 * The dialog stays open until the next page is loaded: the page behind it still shows the state before the purchase.
 */
function NextPageLink({ to, children }: { to: string; children: ReactNode }) {
  return (
    <LinkButton to={to} variant="strong" wide className="min-h-12">
      {children}
    </LinkButton>
  );
}

function CloseButton({ onClick }: { onClick: () => void }) {
  return (
    <Button wide className="min-h-12" onClick={onClick}>
      {t("Close")}
    </Button>
  );
}

interface PanelProps {
  icon: ReactNode;
  title: ReactNode;
  action: Elements;
  children: Elements;
}

function Panel({ icon, title, action, children }: PanelProps) {
  return (
    <PanelFrame>
      <div className="my-auto flex flex-col items-center gap-2 py-4 text-center text-muted">
        <span
          aria-hidden="true"
          className="mb-2 inline-flex size-14 items-center justify-center rounded-full bg-marigold/15 text-accent [&_svg]:size-7"
        >
          {icon}
        </span>
        <h3 className="text-base text-ink">{title}</h3>
        {children}
      </div>
      {action}
    </PanelFrame>
  );
}

function PanelFrame({ isGood = false, children }: { isGood?: boolean; children: ReactNode }) {
  const ref = useRef<HTMLElement>(null);

  // The focused element was removed together with the order summary.
  useEffect(() => {
    const next = ref.current?.querySelector<HTMLElement>("a, button") ?? ref.current;
    next?.focus();
  }, []);

  return (
    <section
      ref={ref}
      tabIndex={-1}
      data-sound={isGood ? "success" : undefined}
      className="flex h-full flex-col gap-4 outline-none"
    >
      {children}
    </section>
  );
}
