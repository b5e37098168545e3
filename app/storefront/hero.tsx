import { DEFAULT_HEADLINE } from "#core/catalog/limits.ts";
import type { CatalogueCard } from "#core/catalog/on-sale.server.ts";
import { daysText } from "../time/time-texts.ts";
import { Card } from "../ui/card.tsx";
import { langOf, t, translate } from "../ui/texts/texts.ts";
import { useShared } from "../use-shared.ts";
import { Icon, RUPEE, UNDO, ZAP } from "./icons.tsx";
import { ToolLogo } from "./tool-logo.tsx";

const PROMISES = [
  { icon: RUPEE, text: "Pay by UPI" },
  { icon: ZAP, text: "Opens at once" },
  { icon: UNDO, text: "Refund if we can’t deliver" },
] as const;

/** The shop's headline with its three promises. */
export function Hero({ sample }: { sample?: SampleTool | undefined }) {
  const { store } = useShared();
  return (
    <section className="grid items-center gap-10 pt-4 pb-2 sm:pt-12 sm:pb-8 lg:grid-cols-[1fr_22rem]">
      <div>
        <h1
          lang={store.headline === null ? undefined : langOf(store.headline)}
          className="wrap-anywhere max-w-[18em] text-xl max-[23.5rem]:text-[1.5rem] sm:text-2xl"
        >
          {store.headline ?? translate(DEFAULT_HEADLINE)}
        </h1>
        {/* On phones the first price comes before more words. */}
        <p className="mt-4 hidden max-w-prose text-base text-muted sm:block">
          {t(
            "Pick a tool, buy a pass for a week, a month or longer, and open it right away. No subscription to cancel.",
          )}
        </p>
        <ul className="mt-3 flex flex-wrap gap-x-4 gap-y-1 text-xs sm:mt-6 sm:gap-x-6 sm:gap-y-2 sm:text-sm">
          {PROMISES.map(({ icon, text }) => (
            <li key={text} className="flex items-center gap-1.5 font-medium sm:gap-2">
              <Icon shape={icon} className="size-4 shrink-0 text-accent" />
              <span>{t(text)}</span>
            </li>
          ))}
        </ul>
      </div>
      {sample ? <SamplePass tool={sample} /> : null}
    </section>
  );
}

/** A tool of the catalogue whose pass the headline shows. */
type SampleTool = Pick<CatalogueCard, "name" | "validityDays">;

/** A picture of a pass for a tool of this shop. Decorative, and only on wide screens. */
function SamplePass({ tool }: { tool: SampleTool }) {
  const left = Math.ceil(tool.validityDays * 0.6);
  return (
    <div aria-hidden="true" className="relative hidden select-none lg:block">
      <Card className="absolute inset-0 rotate-6 opacity-60" />
      <Card className="relative -rotate-2 shadow-float">
        <div className="flex items-center gap-3 p-5">
          <ToolLogo name={tool.name} />
          <span className="flex-1 font-semibold text-base tracking-tight">{tool.name}</span>
          <span className="rounded-full border border-green/30 bg-green/10 px-2 py-px font-medium text-green text-xs">
            {t("Active")}
          </span>
        </div>
        <div className="perforation p-5">
          <div className="h-1.5 overflow-hidden rounded-full bg-line">
            <div className="h-full w-3/5 rounded-full bg-marigold" />
          </div>
          <div className="mt-3 flex justify-between text-muted text-xs tabular-nums">
            <span>{daysText(tool.validityDays)}</span>
            <span className="font-medium text-ink">{t("{time} left", { time: daysText(left) })}</span>
          </div>
        </div>
      </Card>
    </div>
  );
}
