import ChevronDown from "lucide-react/icons/chevron-down";
import type { PassView } from "#core/passes/list-my-passes.server.ts";
import { ToolLogo } from "../storefront/tool-logo.tsx";
import { Badge } from "../ui/badge.tsx";
import { EndDate, ExpiredTicket, Receipt, Refunds, RenewLink } from "./pass-ticket.tsx";
import { badgeMessage } from "./purchase-words.ts";

interface PastAccessProps {
  passes: readonly PassView[];
  /** A tool with an active pass has no Renew button. */
  activePasses: readonly PassView[];
}

/**
 * Passes that have ended, collapsed while there are active passes. Without any, renewing is what the buyer came for, so
 * the last pass of each tool is a ticket of its own.
 */
export function PastAccess({ passes, activePasses }: PastAccessProps) {
  if (passes.length === 0) return null;
  const activeTools = new Set(activePasses.map(toolOf));
  const tickets = activePasses.length === 0 ? lastExpiredPasses(passes) : [];
  const rows = passes.filter((pass) => !tickets.includes(pass));
  const renewedByTicket = new Set(tickets.map(toolOf));
  return (
    <details open={activePasses.length === 0} className="group border-line border-t pt-4">
      <summary className="flex min-h-11 list-none items-center gap-2 rounded-control font-semibold [&::-webkit-details-marker]:hidden">
        <ChevronDown
          aria-hidden="true"
          className="-rotate-90 size-5 text-muted transition-transform duration-150 group-open:rotate-0"
        />
        <h2 className="text-base">Past access</h2>
        <span className="text-muted tabular-nums">{passes.length}</span>
      </summary>
      {tickets.length > 0 ? (
        <ul className="mt-3 grid gap-4 sm:grid-cols-2 sm:gap-5 lg:grid-cols-3">
          {tickets.map((pass) => (
            <li key={pass.id}>
              <ExpiredTicket pass={pass} />
            </li>
          ))}
        </ul>
      ) : null}
      <ul className="mt-2 flex flex-col divide-y divide-line">
        {rows.map((pass) => (
          <PastPass
            key={pass.id}
            pass={pass}
            renewable={!activeTools.has(toolOf(pass)) && !renewedByTicket.has(toolOf(pass))}
          />
        ))}
      </ul>
    </details>
  );
}

function PastPass({ pass, renewable }: { pass: PassView; renewable: boolean }) {
  return (
    <li className="grid grid-cols-[auto_minmax(0,1fr)_auto] items-center gap-x-3 gap-y-2 py-3 sm:grid-cols-[auto_minmax(0,1fr)_auto_minmax(8.5rem,auto)]">
      <ToolLogo name={pass.toolName} className="size-9 text-base grayscale" />
      <div className="min-w-0">
        <h3 className="font-medium text-sm tracking-normal">{pass.toolName}</h3>
        {/* The badge of any other pass already shows how it ended. */}
        {pass.badge === "Expired" ? <EndDate pass={pass} small /> : null}
        <Refunds pass={pass} />
        <Receipt pass={pass} />
      </div>
      <Badge>{badgeMessage(pass)}</Badge>
      {renewable ? (
        <div className="col-start-2 sm:col-start-4 sm:justify-self-end">
          <RenewLink pass={pass} size="small" />
        </div>
      ) : null}
    </li>
  );
}

/** The expired pass of each tool that ended last. @param passes the latest end first */
function lastExpiredPasses(passes: readonly PassView[]): PassView[] {
  const expired = passes.filter(({ badge }) => badge === "Expired");
  return expired.filter((pass) => expired.find((other) => toolOf(other) === toolOf(pass)) === pass);
}

function toolOf({ toolSlug, toolName }: PassView): string {
  return toolSlug ?? toolName;
}
