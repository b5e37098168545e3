import { formatPaise } from "#core/money.ts";
import { ToolLogo } from "../../storefront/tool-logo.tsx";
import { Money } from "../../ui/text.tsx";

/** The tool that a visitor has pressed and signs in for. */
export interface ChosenTool {
  name: string;
  /** Of the cheapest option; 0 is free. */
  pricePaise: number;
  /** The durations on offer in whole days, the shortest first. */
  optionDays: readonly number[];
}

/** The tool, its lowest price and its durations: "from ₹39 · 7 / 30 / 90 days". */
export function ToolSummary({ tool }: { tool: ChosenTool }) {
  const { name, pricePaise, optionDays } = tool;
  const price = pricePaise === 0 ? "Free" : formatPaise(pricePaise);
  const days = `${optionDays.join(" / ")} ${optionDays.at(-1) === 1 ? "day" : "days"}`;
  return (
    <section aria-label={name}>
      <div className="flex items-center gap-3 rounded-control border border-line bg-paper p-3">
        <ToolLogo name={name} className="size-10 text-base" />
        <div className="min-w-0">
          <p className="font-semibold leading-snug">{name}</p>
          <p className="text-muted text-sm tabular-nums">
            {optionDays.length > 1 ? "from " : ""}
            <Money className="font-semibold text-ink">{price}</Money>
            {pricePaise === 0 ? null : ` · ${days}`}
          </p>
        </div>
      </div>
      <p className="mt-3 text-muted text-sm">Create an account to continue with {name}.</p>
    </section>
  );
}
