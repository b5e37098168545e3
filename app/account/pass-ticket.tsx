import { useEffect } from "react";
import { useRevalidator } from "react-router";
import type { PassView } from "#core/entitlements/pass-view.ts";
import { formatDate, formatTimeLeft } from "#core/time.ts";
import { ToolLogo } from "../storefront/tool-logo.tsx";
import { pagePath } from "../tools/page-path.ts";
import { Badge } from "../ui/badge.tsx";
import { Card } from "../ui/card.tsx";
import { DateText } from "../ui/date-text.tsx";
import { LinkButton } from "../ui/link-button.tsx";
import { TimeBar } from "../ui/time-bar.tsx";
import { TimeLeft } from "../ui/time-left.tsx";
import { useNow } from "../ui/use-now.ts";
import { VisuallyHidden } from "../ui/visually-hidden.tsx";
import { useShared } from "../use-shared.ts";
import { MoneyBack, Receipt } from "./receipt.tsx";
import { RenewLink } from "./renew-link.tsx";

/** An answer may be lost, or another one's question take its place. */
const ASK_AGAIN_MS = 5000;

/** A running pass: its time, and the way into the tool. `rendered`: the server's time when it told of the pass. */
export function PassTicket({ pass, rendered }: { pass: PassView; rendered: Date }) {
  const { timeZone } = useShared();
  const expired = useHasExpired(pass, rendered);
  return (
    <Card className="flex h-full flex-col">
      <div className="flex flex-1 flex-wrap items-center gap-3 p-5">
        <ToolLogo name={pass.toolName} />
        <div className="min-w-0 grow basis-[min-content]">
          <h2 className="text-base leading-snug">{pass.toolName}</h2>
          {pass.optionLabel ? <p className="text-muted text-xs">{pass.optionLabel}</p> : null}
        </div>
        {expired ? <Badge>Expired</Badge> : <Badge tone="green">{pass.badge}</Badge>}
      </div>
      <div className="perforation flex flex-col gap-4 p-5">
        <TimeBar from={pass.startsAt} until={pass.expiresAt} now={rendered} />
        <div className="flex flex-col gap-1">
          <p className="flex flex-wrap gap-x-1.5 text-muted">
            <span>
              {expired ? "Ended" : "Ends"}{" "}
              <DateText date={pass.expiresAt}>{formatDate(pass.expiresAt, timeZone)}</DateText>
            </span>
            {expired ? null : (
              <>
                <span aria-hidden="true">·</span>
                <span className="font-medium text-ink">
                  <TimeLeft until={pass.expiresAt} now={rendered} format={formatTimeLeft} /> left
                </span>
              </>
            )}
          </p>
          <Receipt pass={pass} />
          <MoneyBack pass={pass} />
        </div>
        <WayOn pass={pass} expired={expired} />
      </div>
    </Card>
  );
}

function WayOn({ pass, expired }: { pass: PassView; expired: boolean }) {
  if (expired) return <RenewLink pass={pass} wide />;
  if (pass.toolSlug === null) return null;
  return (
    <LinkButton to={pagePath(pass.toolSlug)} variant="strong" wide>
      Open<VisuallyHidden> {pass.toolName}</VisuallyHidden>
    </LinkButton>
  );
}

/** Whether the pass ran out, also in front of one's eyes; then the shop is asked until it has moved it to the past. */
function useHasExpired({ expiresAt }: PassView, rendered: Date): boolean {
  const { revalidate } = useRevalidator();
  const expired = useNow(rendered, expiresAt) >= expiresAt;
  useEffect(() => {
    if (!expired) return;
    void revalidate();
    const again = setInterval(() => void revalidate(), ASK_AGAIN_MS);
    return () => clearInterval(again);
  }, [expired, revalidate]);
  return expired;
}
