import { formatPaise } from "#core/money.ts";
import { firstSentence } from "../storefront/first-sentence.ts";
import { ToolLogo } from "../storefront/tool-logo.tsx";
import { daysText } from "../time/time-texts.ts";
import { Skeleton } from "../ui/card.tsx";
import { classNames } from "../ui/class-names.ts";
import { DialogShell } from "../ui/dialogs/dialog-shell.tsx";
import { Money, VisuallyHidden } from "../ui/text.tsx";
import { langOf, t } from "../ui/texts/texts.ts";
import { useShared } from "../use-shared.ts";
import type { RequestedTool } from "./purchase-request.ts";

/** The grid of the purchase dialog: what every pass includes, the order beside or below it, then what the tool is. */
export const SHEET_GRID =
  "grid min-h-full scroll-my-6 grid-cols-1 gap-x-8 gap-y-2 outline-none max-sm:-mt-1 sm:gap-y-4 sm:pt-2";
export const SHEET_OF_TOOL = "grid-rows-[auto_1fr_auto] sm:grid-cols-[1fr_1.25fr] sm:grid-rows-[auto_1fr]";
export const SHEET_ORDER =
  "col-start-1 row-start-2 sm:col-start-2 sm:row-span-2 sm:row-start-1 sm:border-line sm:border-l sm:pl-8";

/** Logo, name and what it is in the head of the purchase dialog; for a buyer the account instead. */
export function useSheetHead(name: string, description = "") {
  const { user } = useShared();
  const about = firstSentence(description);
  return {
    title: (
      <span lang={langOf(name)} className="-top-1 relative block pl-1">
        {name}
      </span>
    ),
    description: (
      <span
        title={user?.email ?? about}
        lang={user ? undefined : langOf(about)}
        className={classNames(
          "-top-1 -mt-1 relative block min-h-[1lh] truncate pl-1 text-xs",
          !user && "sm:whitespace-normal",
        )}
      >
        {user ? t("For {email}", { email: user.email }) : about}
      </span>
    ),
    start: <ToolLogo name={name} />,
  };
}

/** The purchase dialog while its code is being loaded: what the page knows of the tool, and the shape of the rest. */
export function PurchaseShell({ tool, onClose }: { tool: RequestedTool; onClose: () => void }) {
  return (
    <DialogShell
      {...useSheetHead(tool.name, tool.known?.description)}
      tall={tool.known?.contactOnly !== true}
      onClose={onClose}
    >
      <div className={classNames(SHEET_GRID, SHEET_OF_TOOL)}>
        <div aria-hidden="true" className="flex flex-wrap gap-x-2.5 gap-y-1 sm:flex-col sm:gap-3">
          <Skeleton className="h-5 w-24 sm:h-9 sm:w-4/5" />
          <Skeleton className="h-5 w-28 sm:h-9 sm:w-4/5" />
          <Skeleton className="h-5 w-12 sm:h-9 sm:w-4/5" />
        </div>
        <div className={SHEET_ORDER}>
          <div className="flex h-full flex-col gap-3 sm:gap-4">
            <DurationsSkeleton tool={tool} />
            {tool.known?.contactOnly ? null : <BillSkeleton />}
          </div>
        </div>
        <WhatYouGetSkeleton />
      </div>
    </DialogShell>
  );
}

const FURTHER_OPTIONS = ["second", "third"];

/** The durations while the offer is being loaded, in the same shape, with the price that the page has shown. */
export function DurationsSkeleton({ tool }: { tool: RequestedTool | null }) {
  const { known } = tool ?? {};
  return (
    <div role="status" className="flex flex-col gap-3">
      <VisuallyHidden>{t("Checking access")}</VisuallyHidden>
      <div className="grid gap-2">
        <Skeleton className="h-5.5 w-20" />
        {known ? (
          <p className="flex min-h-13 flex-wrap items-center justify-between gap-x-4 rounded-control border border-line px-2.5 sm:px-4">
            <span className="font-medium">{daysText(known.validityDays)}</span>
            <Money className="font-semibold">{formatPaise(known.pricePaise)}</Money>
          </p>
        ) : (
          <Skeleton className="h-13 rounded-control" />
        )}
        {known?.hasOptions === false
          ? null
          : FURTHER_OPTIONS.map((key) => <Skeleton key={key} className="h-13 rounded-control" />)}
      </div>
    </div>
  );
}

/** The bill while the offer is being loaded, in the same shape. */
export function BillSkeleton() {
  return (
    <>
      <Skeleton className="mt-auto mb-1.5 h-5 w-32 sm:my-3" />
      <div className="flex items-center justify-between">
        <Skeleton className="h-4 w-32" />
        <Skeleton className="h-8 w-24" />
      </div>
      <Skeleton className="h-12 rounded-control" />
      <Skeleton className="mb-5 h-10" />
    </>
  );
}

/** What the tool is, in the same shape. */
export function WhatYouGetSkeleton() {
  return (
    <div aria-hidden="true" className="flex flex-col gap-2 max-sm:min-h-12 max-sm:pt-3 sm:gap-3">
      <Skeleton className="hidden h-12 sm:block" />
      <Skeleton className="h-4 w-4/5" />
      <Skeleton className="hidden h-4 w-3/5 sm:block" />
      <Skeleton className="hidden h-4 w-2/3 sm:block" />
    </div>
  );
}
