import ChevronDown from "lucide-react/icons/chevron-down";
import type { PassView } from "#core/entitlements/pass-view.ts";
import { formatDate } from "#core/time.ts";
import { ToolLogo } from "../storefront/tool-logo.tsx";
import { Badge } from "../ui/badge.tsx";
import { DateText } from "../ui/time/time-text.tsx";
import { useShared } from "../use-shared.ts";
import { badgeMessage } from "./pass-messages.ts";
import { RenewLink } from "./pass-ticket.tsx";
import { Receipt, Refunds } from "./receipt.tsx";

interface PastAccessProps {
  passes: readonly PassView[];
  /** A tool with an active pass has no Renew button. */
  activePasses: readonly PassView[];
}

/** Passes that have ended. The list is collapsed while there are active passes. */
export function PastAccess({ passes, activePasses }: PastAccessProps) {
  if (passes.length === 0) return null;
  const activeTools = new Set(activePasses.map(toolOf));
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
      <ul className="mt-2 flex flex-col divide-y divide-line">
        {passes.map((pass) => (
          <PastPass key={pass.id} pass={pass} renewable={!activeTools.has(toolOf(pass))} />
        ))}
      </ul>
    </details>
  );
}

function PastPass({ pass, renewable }: { pass: PassView; renewable: boolean }) {
  return (
    <li className="flex flex-wrap items-center gap-3 py-3">
      <ToolLogo name={pass.toolName} className="size-9 text-base grayscale" />
      <div className="min-w-40 flex-1">
        <h3 className="font-medium text-sm tracking-normal">{pass.toolName}</h3>
        <EndDate pass={pass} />
        <Refunds pass={pass} />
        <Receipt pass={pass} />
      </div>
      <Badge>{badgeMessage(pass)}</Badge>
      {renewable ? <RenewLink pass={pass} size="small" /> : null}
    </li>
  );
}

/** The end date of an expired pass. The badge of any other pass already shows how it ended. */
function EndDate({ pass }: { pass: PassView }) {
  const { timeZone } = useShared();
  if (pass.badge !== "Expired") return null;
  return (
    <p className="text-muted text-xs">
      Ended <DateText date={pass.expiresAt}>{formatDate(pass.expiresAt, timeZone)}</DateText>
    </p>
  );
}

function toolOf({ toolSlug, toolName }: PassView): string {
  return toolSlug ?? toolName;
}
