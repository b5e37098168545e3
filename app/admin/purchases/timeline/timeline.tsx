import type { PurchaseTimeline } from "#core/passes/get-purchase-timeline.server.ts";
import type { TimelineEntry } from "#core/passes/purchase-timeline.ts";
import { DateTime } from "../../../date-time.tsx";
import { classNames } from "../../../ui/class-names.ts";
import { useShared } from "../../../use-shared.ts";
import { describeEntry, type EntryTone } from "./timeline-words.ts";

const DOTS: Record<EntryTone, string> = {
  good: "border-green bg-green",
  bad: "border-red bg-red",
  plain: "border-field bg-card",
};

/** Everything that happened to a purchase, oldest first. */
export function Timeline({ entries, leftOut }: Pick<PurchaseTimeline, "entries" | "leftOut">) {
  return (
    <section aria-label="Timeline" className="flex flex-col gap-3">
      <h3 className="text-base">Timeline</h3>
      {leftOut > 0 ? <p className="text-muted text-xs">Older entries are not shown.</p> : null}
      <ol className="ml-1.5 flex flex-col gap-4 border-line border-l">
        {entries.map((entry, index) => (
          // Entries only ever get more at the end, and have no id of their own.
          // biome-ignore lint/suspicious/noArrayIndexKey: see above
          <Entry key={`${entry.kind} ${entry.at.getTime()} ${index}`} entry={entry} />
        ))}
      </ol>
    </section>
  );
}

function Entry({ entry }: { entry: TimelineEntry }) {
  const { timeZone } = useShared();
  const { title, details, tone } = describeEntry(entry, timeZone);
  return (
    <li className="relative pl-5 text-sm">
      <span
        aria-hidden="true"
        className={classNames("-left-1.5 absolute top-1.5 size-3 rounded-full border-2", DOTS[tone])}
      />
      <p className="font-medium">{title}</p>
      {details.map((detail) => (
        <p key={detail} className="wrap-anywhere text-muted text-xs">
          {detail}
        </p>
      ))}
      <p className="text-muted text-xs">
        <DateTime date={entry.at} />
      </p>
    </li>
  );
}
