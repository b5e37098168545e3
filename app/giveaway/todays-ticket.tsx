import type { TodaysGiveaway } from "#core/giveaways/read-giveaways.server.ts";
import { formatDateTime, formatDays, formatTime, formatTimeLeft } from "#core/time.ts";
import { firstSentence } from "../storefront/first-sentence.ts";
import { WorksOn } from "../storefront/offer/works-on.tsx";
import { ToolLogo } from "../storefront/tool-logo.tsx";
import { ComputerOnly } from "../tools/extension/computer-only.tsx";
import { pagePath } from "../tools/page-path.ts";
import { Button, LinkButton } from "../ui/button.tsx";
import { Card } from "../ui/card.tsx";
import { LiveRegion, VisuallyHidden } from "../ui/text.tsx";
import { DateText, TimeBar, TimeLeft } from "../ui/time.tsx";
import { useShared } from "../use-shared.ts";
import { type ClaimState, useClaim } from "./use-claim.ts";

/** The giveaway of today as a ticket, with what this visitor can do about it. */
export function TodaysTicket({ giveaway }: { giveaway: TodaysGiveaway }) {
  const { toolName, description, worksOn, validityDays, startsAt, endsAt, now } = giveaway;
  const { timeZone } = useShared();
  const { state, claim } = useClaim(giveaway);
  const isOver = giveaway.claim !== null || state.kind === "claimed";
  return (
    <section aria-labelledby="todays-giveaway">
      <Card className="flex flex-col">
        <div className="flex flex-col gap-4 p-5 sm:p-6">
          <div className="flex items-center gap-4">
            <ToolLogo name={toolName} />
            <div className="min-w-0">
              <h2 id="todays-giveaway" className="text-lg leading-snug">
                {toolName}
              </h2>
              <p className="font-medium">Free for {formatDays(validityDays)}</p>
            </div>
          </div>
          <p className="text-muted">{firstSentence(description)}</p>
          <WorksOn places={worksOn} className="text-sm" />
          {isOver ? null : (
            <ComputerOnly
              name={toolName}
              places={worksOn}
              advice="You can still claim it here and use it there."
            />
          )}
        </div>
        <div className="perforation flex flex-col gap-4 p-5 sm:p-6">
          {isOver ? null : <TimeBar from={startsAt} until={endsAt} now={now} />}
          <p className="text-muted">
            {isOver ? "The next giveaway starts in" : "Ends in"}{" "}
            <span className="font-medium text-ink">
              <TimeLeft until={endsAt} now={now} format={formatTimeLeft} />
            </span>
            , at <DateText date={endsAt}>{formatTime(endsAt, timeZone)}</DateText>
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
          <Button variant="strong" wide busy={state.kind === "sending"} onClick={onClaim}>
            Claim<VisuallyHidden> the free pass for {toolName}</VisuallyHidden>
          </Button>
          <noscript>
            <p className="font-medium">Claiming it needs JavaScript.</p>
          </noscript>
        </>
      ) : null}
      {hasWon ? (
        <LinkButton to={pagePath(slug)} variant="strong" wide>
          Open<VisuallyHidden> {toolName}</VisuallyHidden>
        </LinkButton>
      ) : null}
      {giveaway.state === "taken" && !hasWon ? <LinkButton to="/">See all tools</LinkButton> : null}
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
  const by = claim === null ? null : `Claimed at ${formatTime(claim.at, timeZone)} by ${claim.by}.`;
  if (own.kind === "claimed" || state === "won")
    return `It’s yours. Your pass runs until ${until === null ? "" : formatDateTime(until, timeZone)}.`;
  if (own.kind === "refused") return by === null ? own.message : `${own.message} ${by}`;
  if (state === "owned")
    return `${by ?? "Nobody has claimed it yet."} You already have a pass for ${toolName}, so you can’t claim another.`;
  if (state === "admin") return `${by ?? "Nobody has claimed it yet."} Admins can’t take part.`;
  if (by !== null) return by;
  return isSignedIn ? "Nobody has claimed it yet." : "Nobody has claimed it yet. You’ll be asked to sign in.";
}
