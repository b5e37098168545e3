import { useCallback, useEffect } from "react";
import { useRevalidator } from "react-router";
import {
  listPastWinners,
  type PastWinner,
  readTodaysGiveaway,
  type TodaysGiveaway,
} from "#core/giveaways/read-giveaways.server.ts";
import { WINNERS_LISTED } from "#core/giveaways/rules.ts";
import { formatDateTime, formatTime, hasNoEnd } from "#core/time.ts";
import { useLive } from "../live/use-live.ts";
import { shopContext } from "../request/request-context.ts";
import { firstSentence } from "../storefront/first-sentence.ts";
import { HelpLink } from "../storefront/help-link.tsx";
import { WorksOn } from "../storefront/offer/works-on.tsx";
import { SiteFooter } from "../storefront/site-footer.tsx";
import { SiteHeader } from "../storefront/site-header.tsx";
import { ToolLogo } from "../storefront/tool-logo.tsx";
import { DateOnly } from "../time/date-time.tsx";
import { daysText, timeLeftText } from "../time/time-texts.ts";
import { ComputerOnly } from "../tools/extension/computer-only.tsx";
import { pagePath } from "../tools/page-path.ts";
import { Button, LinkButton } from "../ui/button.tsx";
import { Card } from "../ui/card.tsx";
import { EmptyState } from "../ui/empty-state.tsx";
import { LiveRegion, VisuallyHidden } from "../ui/text.tsx";
import { langOf, t, tNodes } from "../ui/texts/texts.ts";
import { DateText, TimeBar, TimeLeft } from "../ui/time.tsx";
import { useShared } from "../use-shared.ts";
import type { Route } from "./+types/giveaway";
import { type ClaimState, useClaim } from "./use-claim.ts";

export async function loader({ context }: Route.LoaderArgs) {
  const ctx = context.get(shopContext);
  const [today, winners] = await Promise.all([readTodaysGiveaway(ctx), listPastWinners(ctx)]);
  return { today, winners };
}

export const meta: Route.MetaFunction = ({ matches }) => [
  { title: `${t("Daily giveaway")} · ${matches[1].loaderData?.store.name ?? "Daypass"}` },
  { name: "description", content: t("One free pass a day, for the first person who claims it.") },
];

export default function Giveaway({ loaderData: { today, winners } }: Route.ComponentProps) {
  const { revalidate } = useRevalidator();
  const reload = useCallback(() => void revalidate(), [revalidate]);
  useLive(["giveaway"]);
  useReloadAtEnd(today, reload);
  return (
    <>
      <SiteHeader />
      <main
        id="content"
        tabIndex={-1}
        className="mx-auto flex max-w-page flex-col gap-8 px-4 py-8 outline-none sm:px-6 sm:py-12"
      >
        <div className="flex flex-col gap-2">
          <h1 className="text-xl">{t("Daily giveaway")}</h1>
          <p className="max-w-prose text-pretty text-muted">
            {t(
              "One free pass a day. The first person to claim it gets it, and a new one starts at midnight.",
            )}
          </p>
        </div>
        <div className="grid items-start gap-8 lg:grid-cols-[minmax(0,26rem)_minmax(0,1fr)] lg:gap-12">
          {today === null ? (
            <EmptyState
              title={t("No giveaway today")}
              action={<LinkButton to="/">{t("See all tools")}</LinkButton>}
            >
              {t("Please check again tomorrow.")}
            </EmptyState>
          ) : (
            <TodaysTicket key={today.roundId} giveaway={today} />
          )}
          <WinnerList winners={winners} />
        </div>
        <HelpLink about="the daily giveaway" />
      </main>
      <SiteFooter />
    </>
  );
}

/** Browsers do not reload at the same moment, which would be a peak of requests at midnight. */
const SPREAD_MS = 5_000;

/** Loads the page again when the round of today is over. */
function useReloadAtEnd(today: Route.ComponentProps["loaderData"]["today"], reload: () => void): void {
  const left = today === null ? null : today.endsAt.getTime() - today.now.getTime();
  const roundId = today?.roundId;
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new round has a new end
  useEffect(() => {
    if (left === null) return;
    const timer = setTimeout(reload, left + Math.random() * SPREAD_MS);
    return () => clearTimeout(timer);
  }, [left, roundId, reload]);
}

/** Who has won so far, the newest first. The names come masked from the server. */
function WinnerList({ winners }: { winners: readonly PastWinner[] }) {
  return (
    <section aria-labelledby="past-winners" className="flex min-w-0 flex-col gap-3">
      <h2 id="past-winners" className="text-lg">
        {t("Past winners")}
      </h2>
      {winners.length === 0 ? (
        <p className="text-muted">
          {t("Nobody has won yet. Winners will be listed here, with most of their name hidden.")}
        </p>
      ) : (
        <>
          <ol className="flex flex-col border-line border-t">
            {winners.map(({ roundId, day, toolName, winner }) => (
              <li key={roundId} className="flex flex-wrap gap-x-4 border-line border-b py-2.5">
                <span className="w-20 shrink-0 text-muted">
                  <DateOnly date={day} />
                </span>
                {/* Below the date when the text is large. */}
                <span className="flex min-w-0 flex-1 basis-40 flex-col sm:flex-row sm:justify-between sm:gap-4">
                  <span lang={langOf(toolName)} className="min-w-0 font-medium">
                    {toolName}
                  </span>
                  <span className="wrap-anywhere min-w-0">{winner}</span>
                </span>
              </li>
            ))}
          </ol>
          {winners.length < WINNERS_LISTED ? null : (
            <p className="text-muted text-xs">{t("The last {count} winners.", { count: WINNERS_LISTED })}</p>
          )}
        </>
      )}
    </section>
  );
}

/** The giveaway of today as a ticket, with what this visitor can do about it. */
function TodaysTicket({ giveaway }: { giveaway: TodaysGiveaway }) {
  const { toolName, description, worksOn, validityDays, startsAt, endsAt, now } = giveaway;
  const { timeZone } = useShared();
  const { state, claim } = useClaim(giveaway);
  const time = (
    <span key="time" className="font-medium text-ink">
      <TimeLeft until={endsAt} now={now} format={timeLeftText} />
    </span>
  );
  const clock = (
    <DateText key="clock" date={endsAt}>
      {formatTime(endsAt, timeZone)}
    </DateText>
  );
  const isOver = giveaway.claim !== null || state.kind === "claimed";
  return (
    <section aria-labelledby="todays-giveaway">
      <Card className="flex flex-col">
        <div className="flex flex-col gap-4 p-5 sm:p-6">
          <div className="flex items-center gap-4">
            <ToolLogo name={toolName} />
            <div className="min-w-0">
              <h2 id="todays-giveaway" lang={langOf(toolName)} className="text-lg leading-snug">
                {toolName}
              </h2>
              <p className="font-medium">{t("Free for {time}", { time: daysText(validityDays) })}</p>
            </div>
          </div>
          <p lang={langOf(description)} className="text-muted">
            {firstSentence(description)}
          </p>
          <WorksOn places={worksOn} className="text-sm" />
          {isOver ? null : (
            <ComputerOnly
              name={toolName}
              places={worksOn}
              advice={t("You can still claim it here and use it there.")}
            />
          )}
        </div>
        <div className="perforation flex flex-col gap-4 p-5 sm:p-6">
          {isOver ? null : <TimeBar from={startsAt} until={endsAt} now={now} />}
          <p className="text-muted">
            {tNodes(
              isOver ? "The next giveaway starts in {time}, at {clock}" : "Ends in {time}, at {clock}",
              { time, clock },
            )}
          </p>
          <OwnPart giveaway={giveaway} state={state} onClaim={claim} />
        </div>
      </Card>
    </section>
  );
}

interface OwnPartProps {
  giveaway: TodaysGiveaway;
  state: ClaimState;
  onClaim: () => void;
}

/** What the visitor can do now. The message is announced when it changes. */
function OwnPart({ giveaway, state, onClaim }: OwnPartProps) {
  const { user, timeZone } = useShared();
  const { toolName } = giveaway;
  const hasWon = state.kind === "claimed" || giveaway.state === "won";
  const slug = state.kind === "claimed" ? state.pass.toolSlug : giveaway.toolSlug;
  const isOpen = giveaway.state === "open" && !hasWon;
  const text = messageOf(giveaway, state, timeZone, user !== null);
  return (
    <>
      <p className={hasWon ? "font-medium text-green" : undefined}>{text}</p>
      {isOpen ? (
        <>
          <Button
            variant="strong"
            wide
            busy={state.kind === "sending"}
            aria-label={t("Claim the free pass for {tool}", { tool: toolName })}
            onClick={onClaim}
          >
            {t("Claim")}
          </Button>
          <noscript>
            <p className="font-medium">{t("Claiming it needs JavaScript.")}</p>
          </noscript>
        </>
      ) : null}
      {hasWon ? (
        <LinkButton to={pagePath(slug)} variant="strong" wide>
          <span>{t("Open")}</span>
          <VisuallyHidden>{` ${toolName}`}</VisuallyHidden>
        </LinkButton>
      ) : null}
      {giveaway.state === "taken" && !hasWon ? <LinkButton to="/">{t("See all tools")}</LinkButton> : null}
      <LiveRegion message={state.kind === "claimed" || state.kind === "refused" ? text : ""} />
    </>
  );
}

function messageOf(
  { state, claim, ownedUntil, toolName }: TodaysGiveaway,
  own: ClaimState,
  timeZone: string,
  isSignedIn: boolean,
): string {
  const until = own.kind === "claimed" ? own.pass.expiresAt : ownedUntil;
  const by =
    claim === null
      ? null
      : t("Claimed at {time} by {name}.", { time: formatTime(claim.at, timeZone), name: claim.by })
          // An initial, such as in "As••• K.", would end the English sentence with two full stops.
          .replace(/\.\.$/, ".");
  if (own.kind === "claimed" || state === "won")
    return until !== null && hasNoEnd(until)
      ? t("It’s yours. Your pass has no end.")
      : t("It’s yours. Your pass runs until {date}.", {
          date: until === null ? "" : formatDateTime(until, timeZone),
        });
  if (own.kind === "refused") {
    return by === null ? own.message : `${own.message} ${by}`;
  }
  const status = by ?? t("Nobody has claimed it yet.");
  if (state === "owned")
    return `${status} ${t("You already have a pass for {tool}, so you can’t claim another.", { tool: toolName })}`;
  if (state === "admin") return `${status} ${t("Admins can’t take part.")}`;
  return by !== null || isSignedIn ? status : `${status} ${t("You’ll be asked to sign in.")}`;
}
