import { useCallback, useEffect } from "react";
import { useRevalidator } from "react-router";
import {
  listPastWinners,
  type PastWinner,
  readTodaysGiveaway,
} from "#core/giveaways/read-giveaways.server.ts";
import { WINNERS_LISTED } from "#core/giveaways/rules.ts";
import { DateOnly } from "../date-time.tsx";
import { useLive } from "../live/use-live.ts";
import { shopContext } from "../middleware/request-context.ts";
import { HelpLink } from "../storefront/help-link.tsx";
import { SiteFooter } from "../storefront/site-footer.tsx";
import { SiteHeader } from "../storefront/site-header.tsx";
import { LinkButton } from "../ui/button.tsx";
import { EmptyState } from "../ui/empty-state.tsx";
import type { Route } from "./+types/giveaway";
import { TodaysTicket } from "./todays-ticket.tsx";

export async function loader({ context }: Route.LoaderArgs) {
  const ctx = context.get(shopContext);
  const [today, winners] = await Promise.all([readTodaysGiveaway(ctx), listPastWinners(ctx)]);
  return { today, winners };
}

export const meta: Route.MetaFunction = ({ matches }) => [
  { title: `Daily giveaway · ${matches[1].loaderData?.store.name ?? "Daypass"}` },
  { name: "description", content: "One free pass a day, for the first person who claims it." },
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
          <h1 className="text-xl">Daily giveaway</h1>
          <p className="max-w-prose text-pretty text-muted">
            One free pass a day. The first person to claim it gets it, and a new one starts at midnight.
          </p>
        </div>
        <div className="grid items-start gap-8 lg:grid-cols-[minmax(0,26rem)_minmax(0,1fr)] lg:gap-12">
          {today === null ? (
            <EmptyState title="No giveaway today" action={<LinkButton to="/">See all tools</LinkButton>}>
              Please look in again tomorrow.
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
        Past winners
      </h2>
      {winners.length === 0 ? (
        <p className="text-muted">
          Nobody has won yet. Winners will be listed here, with most of their name hidden.
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
                  <span className="min-w-0 font-medium">{toolName}</span>
                  <span className="wrap-anywhere min-w-0">{winner}</span>
                </span>
              </li>
            ))}
          </ol>
          {winners.length < WINNERS_LISTED ? null : (
            <p className="text-muted text-xs">The last {WINNERS_LISTED} winners.</p>
          )}
        </>
      )}
    </section>
  );
}
