import { useEffect } from "react";
import { Link, useRevalidator } from "react-router";
import { remarkablePlaces } from "#core/catalog/rules.ts";
import { renewableFrom } from "#core/checkout/hold-rules.ts";
import { formatPaise } from "#core/money.ts";
import type { PassView } from "#core/passes/list-my-passes.server.ts";
import { hasNoEnd } from "#core/time.ts";
import { pendingRenewal } from "../auth/pending-choice.ts";
import { ContactButton } from "../storefront/offer/contact-button.tsx";
import { WorksOn } from "../storefront/offer/works-on.tsx";
import { ToolLogo } from "../storefront/tool-logo.tsx";
import { DateOnly } from "../time/date-time.tsx";
import { optionLabel, timeLeftText } from "../time/time-texts.ts";
import { pagePath } from "../tools/page-path.ts";
import { Badge } from "../ui/badge.tsx";
import { LinkButton } from "../ui/button.tsx";
import { Card } from "../ui/card.tsx";
import { type ButtonLook, classNames } from "../ui/class-names.ts";
import { Money, PartlyHidden, VisuallyHidden } from "../ui/text.tsx";
import { langOf, t, tNodes, translate } from "../ui/texts/texts.ts";
import { DateText, TimeBar, useNow } from "../ui/time.tsx";
import { useShared } from "../use-shared.ts";
import {
  arrangedText,
  badgeMessage,
  endsSoonMessage,
  freeBecause,
  orderPath,
  refundAmountMessage,
} from "./purchase-words.ts";

/** Retries, because a revalidation can fail or be replaced by another. */
const REVALIDATE_INTERVAL_MS = 5000;

interface TicketProps {
  pass: PassView;
  /** When the server sent the pass. */
  serverTime: Date;
  /** Its button is the strong one of the page. */
  isFirst: boolean;
}

/**
 * An active pass with its time left; on a phone, three of them fit on the screen. The area of the link to the tool page is the
 * whole ticket.
 */
export function PassTicket({ pass, serverTime, isFirst }: TicketProps) {
  const waits = pass.badge === "Waiting";
  const changesAt = waits ? pass.startsAt : pass.expiresAt;
  const now = useNow(serverTime, changesAt);
  const expired = now >= pass.expiresAt;
  const mayRenew = pass.onSale && !hasNoEnd(pass.renewedUntil ?? pass.expiresAt);
  const from = renewalFrom(pass);
  const variant = isFirst ? "strong" : "soft";
  useRevalidateWhen(now >= changesAt);
  return (
    <Card className="relative flex h-full flex-col transition-[border-color] duration-150 hover:border-field">
      <TicketHead pass={pass} expired={expired} as="h2" />
      {/* Not around the link, because a positioned ancestor would keep the link's area from covering the whole ticket. */}
      <div className="perforation" />
      <div className="flex flex-1 flex-col gap-2.5 px-4 py-3 sm:gap-4 sm:p-5">
        <WorksOn places={pass.worksOn ?? []} className="-mt-1 text-xs max-sm:hidden" />
        <TimeBar from={pass.startsAt} until={pass.expiresAt} now={serverTime} />
        <div className="flex flex-col gap-0.5 sm:gap-1">
          <PassTimes pass={pass} now={now} />
          <Receipt pass={pass} />
          <Refunds pass={pass} />
        </div>
        {expired ? (
          <RenewLink pass={pass} variant={variant} wide className="mt-auto" />
        ) : (
          <div className="mt-auto flex flex-wrap items-center gap-x-2 gap-y-1">
            {waits ? null : <OpenLink pass={pass} variant={variant} />}
            {mayRenew ? (
              <RenewLink
                pass={pass}
                notBefore={pass.isSold && from > now ? from : null}
                variant="quiet"
                className="z-10"
              />
            ) : null}
          </div>
        )}
      </div>
    </Card>
  );
}

function PassTimes({ pass, now }: { pass: PassView; now: Date }) {
  if (now >= pass.expiresAt) return <EndDate pass={pass} />;
  if (pass.badge !== "Waiting") return <RunningTime pass={pass} now={now} />;
  return (
    <p className="text-muted">
      {hasNoEnd(pass.expiresAt)
        ? tNodes("Starts {start} · no end", { start: <DateOnly key="start" date={pass.startsAt} /> })
        : tNodes("Starts {start} · until {end}", {
            start: <DateOnly key="start" date={pass.startsAt} />,
            end: <DateOnly key="end" date={pass.expiresAt} />,
          })}
    </p>
  );
}

/** A pass that has expired, with Renew as its action. @param strong it is what the buyer came for */
export function ExpiredTicket({ pass, strong }: { pass: PassView; strong: boolean }) {
  return (
    <Card className="flex h-full flex-col bg-transparent">
      <TicketHead pass={pass} expired as="h3" />
      <div className="perforation flex flex-1 flex-col gap-2.5 px-4 py-3 sm:gap-4 sm:p-5">
        <div className="flex flex-col gap-0.5 sm:gap-1">
          <EndDate pass={pass} />
          <Receipt pass={pass} />
          <Refunds pass={pass} />
        </div>
        <RenewLink pass={pass} variant={strong ? "strong" : "plain"} wide className="mt-auto" />
      </div>
    </Card>
  );
}

function TicketHead({ pass, expired, as: Heading }: { pass: PassView; expired: boolean; as: "h2" | "h3" }) {
  const places = remarkablePlaces(pass.worksOn ?? []).map((label) => t(label));
  return (
    <div className="flex flex-wrap items-center gap-3 px-4 py-3 sm:p-5">
      <ToolLogo
        name={pass.toolName}
        className={classNames("size-10 text-lg sm:size-11", expired && "grayscale")}
      />
      <div className="min-w-0 grow basis-[9rem]">
        <Heading
          lang={langOf(pass.toolName)}
          className={classNames("wrap-anywhere text-base leading-snug", expired && "text-muted")}
        >
          {pass.toolName}
        </Heading>
        <p className="text-muted text-xs">
          <span>{`${optionLabel({ label: pass.optionLabel, validityDays: pass.validityDays })} · `}</span>
          <VisuallyHidden>{`${t("Order number")} `}</VisuallyHidden>
          <code translate="no" className="select-all font-mono">
            {pass.orderNumber}
          </code>
          {/* Wide tickets list all places. */}
          {places.length > 0 ? <span className="block sm:hidden">{places.join(" · ")}</span> : null}
        </p>
      </div>
      {expired || pass.badge === "Waiting" ? (
        <Badge>{t(expired ? "Expired" : "Starts later")}</Badge>
      ) : (
        <Badge tone="green">{badgeMessage(pass)}</Badge>
      )}
    </div>
  );
}

/** The end of the pass: on its last day the time of day, before that the date; and the end of the renewal that waits. */
function RunningTime({ pass: { expiresAt, renewedUntil }, now }: { pass: PassView; now: Date }) {
  const { timeZone } = useShared();
  if (hasNoEnd(expiresAt)) return <p className="font-medium text-ink">{t("No end")}</p>;
  const endsSoon = endsSoonMessage(expiresAt, now, timeZone);
  return (
    <p className="flex flex-wrap items-center gap-x-1.5 text-muted">
      {endsSoon === null ? (
        <span>{tNodes("Ends {date}", { date: <DateOnly key="date" date={expiresAt} /> })}</span>
      ) : (
        <Badge tone="warning">
          <DateText date={expiresAt}>{endsSoon}</DateText>
        </Badge>
      )}
      <span aria-hidden="true">·</span>
      <span className="font-medium text-ink tabular-nums">
        {`${t("{time} left", { time: timeLeftText(expiresAt, now) })}${renewedUntil ? "," : ""}`}
      </span>
      {renewedUntil ? <ThenUntil date={renewedUntil} /> : null}
    </p>
  );
}

/** When the renewal that waits ends. */
export function ThenUntil({ date }: { date: Date }) {
  if (hasNoEnd(date)) return <span>{t("then without an end")}</span>;
  return <span>{tNodes("then until {date}", { date: <DateOnly key="date" date={date} /> })}</span>;
}

/** When an expired pass ended. */
export function EndDate({ pass: { expiresAt }, small = false }: { pass: PassView; small?: boolean }) {
  return (
    <p className={small ? "text-muted text-xs" : "text-muted"}>
      {tNodes("Ended {date}", { date: <DateOnly key="date" date={expiresAt} /> })}
    </p>
  );
}

function OpenLink({ pass: { toolSlug, toolName }, variant }: { pass: PassView } & ButtonLook) {
  if (toolSlug === null) return null;
  return (
    <LinkButton
      to={pagePath(toolSlug)}
      variant={variant}
      aria-label={t("Open {tool}", { tool: toolName })}
      className="whole-ticket grow"
    >
      {t("Open")}
    </LinkButton>
  );
}

/** Revalidates a page with a pass that expired while it was open, until the page lists the pass as past. */
function useRevalidateWhen(expired: boolean): void {
  const { revalidate } = useRevalidator();
  useEffect(() => {
    if (!expired) return;
    void revalidate();
    const interval = setInterval(() => void revalidate(), REVALIDATE_INTERVAL_MS);
    return () => clearInterval(interval);
  }, [expired, revalidate]);
}

/** From when on an active pass can be renewed. A pass with a renewal has to end first. */
function renewalFrom({ badge, startsAt, expiresAt, renewedUntil }: PassView): Date {
  const begin = badge === "Waiting" ? startsAt : renewedUntil === null ? null : expiresAt;
  const from = renewableFrom(renewedUntil ?? expiresAt);
  return begin !== null && begin > from ? begin : from;
}

interface RenewLinkProps extends ButtonLook {
  pass: PassView;
  /** A later time from which the pass can be renewed; null: now. */
  notBefore?: Date | null;
  className?: string;
}

/**
 * Links to the home page, which opens the renewal in the purchase dialog of the tool; for a tool that is sold in the chat, to
 * the chat. A tool that is off sale has no dialog.
 */
export function RenewLink({ pass, notBefore = null, ...look }: RenewLinkProps) {
  const { toolSlug, toolName, onSale } = pass;
  if (!onSale) {
    return (
      <div className="flex flex-col gap-2">
        <p className="text-muted text-xs">{t("This pass is no longer sold.")}</p>
        <LinkButton to="/" {...look} variant="plain">
          {t("See other tools")}
        </LinkButton>
      </div>
    );
  }
  if (pass.contactOnly) return <ContactButton toolName={toolName} {...look} />;
  return (
    <LinkButton to="/" onClick={() => (toolSlug ? pendingRenewal.remember(toolSlug) : undefined)} {...look}>
      {/* Both lines together are as high as the button beside them. */}
      <span className="-my-1 leading-tight">
        <span className="block">
          <PartlyHidden text={t("Renew Access to {tool}", { tool: toolName })} shown={t("Renew Access")} />
        </span>
        {notBefore === null ? null : (
          <span className="block font-normal text-xs">
            {tNodes("from {date}", { date: <DateOnly key="date" date={notBefore} /> })}
          </span>
        )}
      </span>
    </LinkButton>
  );
}

/**
 * The amount and the date of the payment for a pass, or why it is free, and a link to its receipt; nothing for an assigned pass
 * that has a price.
 */
export function Receipt({ pass }: { pass: PassView }) {
  const { id, toolName, paidAt, amountPaise, paidPaise } = pass;
  if (paidAt === null && amountPaise > 0) return null;
  const because = freeBecause(pass);
  return (
    <p className="text-muted text-xs">
      <span>
        {paidAt === null
          ? [because === arrangedText() ? null : t("Free"), because].filter(Boolean).join(" · ")
          : tNodes("Paid {price} on {date}", {
              price: <Money key="price">{formatPaise(paidPaise ?? amountPaise)}</Money>,
              date: <DateOnly key="date" date={paidAt} />,
            })}
      </span>
      <span> · </span>
      <Link
        to={orderPath(id)}
        aria-label={t("Receipt for {tool}", { tool: toolName })}
        className="relative z-10 -mt-2 -mb-0.5 inline-block rounded-sm pt-2 pb-0.5 text-accent underline underline-offset-2"
      >
        {t("Receipt")}
      </Link>
    </p>
  );
}

/** The refunds of a pass and its uncaptured payment. */
export function Refunds({ pass: { refunds, uncapturedPayment } }: { pass: PassView }) {
  // Refunds have no id here; their order does not change.
  const lines = refunds.map((refund, index) => ({ refund, key: `refund-${index}` }));
  return (
    <>
      {lines.map(({ refund, key }) => (
        <p key={key} className="text-muted text-xs">
          {tNodes(refundAmountMessage(refund.status), {
            price: <Money key="price">{formatPaise(refund.amountPaise)}</Money>,
          })}
          {refunds.length > 1 ? (
            <>
              <span> · </span>
              <DateOnly date={refund.at} />
            </>
          ) : null}
          {refund.why === null ? null : <span>{` · ${translate(refund.why)}`}</span>}
        </p>
      ))}
      {uncapturedPayment === null ? null : (
        <p className="text-muted text-xs">
          {tNodes("{price} not taken", {
            price: <Money key="price">{formatPaise(uncapturedPayment.amountPaise)}</Money>,
          })}
          {uncapturedPayment.why === null ? null : <span>{` · ${translate(uncapturedPayment.why)}`}</span>}
        </p>
      )}
    </>
  );
}
