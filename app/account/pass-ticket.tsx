import { useEffect } from "react";
import { useRevalidator } from "react-router";
import type { PassView } from "#core/entitlements/pass-view.ts";
import { formatDate, formatTimeLeft } from "#core/time.ts";
import { rememberChosenTool } from "../storefront/catalogue/chosen-tool.ts";
import { ToolLogo } from "../storefront/tool-logo.tsx";
import { pagePath } from "../tools/page-path.ts";
import { Badge } from "../ui/badge.tsx";
import { LinkButton } from "../ui/button.tsx";
import { Card } from "../ui/card.tsx";
import type { ButtonLook } from "../ui/class-names.ts";
import { VisuallyHidden } from "../ui/screen-reader-text.tsx";
import { DateText, TimeBar, TimeLeft } from "../ui/time/time-text.tsx";
import { useNow } from "../ui/time/use-now.ts";
import { useShared } from "../use-shared.ts";
import { Receipt, Refunds } from "./receipt.tsx";

/** Retries, because a revalidation can fail or be replaced by another one. */
const REVALIDATE_INTERVAL_MS = 5000;

/** An active pass with its time left and a link to the tool page. `serverTime` is when the server sent the pass. */
export function PassTicket({ pass, serverTime }: { pass: PassView; serverTime: Date }) {
  const { timeZone } = useShared();
  const expired = useHasExpired(pass, serverTime);
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
        <TimeBar from={pass.startsAt} until={pass.expiresAt} now={serverTime} />
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
                  <TimeLeft until={pass.expiresAt} now={serverTime} format={formatTimeLeft} /> left
                </span>
              </>
            )}
          </p>
          <Receipt pass={pass} />
          <Refunds pass={pass} />
        </div>
        <PassAction pass={pass} expired={expired} />
      </div>
    </Card>
  );
}

function PassAction({ pass, expired }: { pass: PassView; expired: boolean }) {
  if (expired) return <RenewLink pass={pass} wide />;
  if (pass.toolSlug === null) return null;
  return (
    <LinkButton to={pagePath(pass.toolSlug)} variant="strong" wide>
      Open<VisuallyHidden> {pass.toolName}</VisuallyHidden>
    </LinkButton>
  );
}

/** Whether the pass has expired, also while the page is open; then revalidates until the page lists it as past. */
function useHasExpired({ expiresAt }: PassView, serverTime: Date): boolean {
  const { revalidate } = useRevalidator();
  const expired = useNow(serverTime, expiresAt) >= expiresAt;
  useEffect(() => {
    if (!expired) return;
    void revalidate();
    const interval = setInterval(() => void revalidate(), REVALIDATE_INTERVAL_MS);
    return () => clearInterval(interval);
  }, [expired, revalidate]);
  return expired;
}

/** Links to the home page, which opens the purchase dialog of the tool. */
export function RenewLink({ pass, ...look }: { pass: PassView } & ButtonLook) {
  const { toolSlug, toolName } = pass;
  return (
    <LinkButton to="/" onClick={() => (toolSlug ? rememberChosenTool(toolSlug) : undefined)} {...look}>
      Renew Access<VisuallyHidden> to {toolName}</VisuallyHidden>
    </LinkButton>
  );
}
