import type { PastWinner } from "#core/giveaways/list-past-winners.server.ts";
import { WINNERS_LISTED } from "#core/giveaways/rules.ts";
import { DateOnly } from "../date-time.tsx";

/** Who has won so far, the newest first. The names come masked from the server. */
export function WinnerList({ winners }: { winners: readonly PastWinner[] }) {
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
