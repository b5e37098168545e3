import BadgeIndianRupee from "lucide-react/icons/badge-indian-rupee";
import Undo2 from "lucide-react/icons/undo-2";
import Zap from "lucide-react/icons/zap";
import { SamplePass } from "./sample-pass.tsx";

const PROMISES = [
  { icon: BadgeIndianRupee, words: "Pay by UPI" },
  { icon: Zap, words: "Opens at once" },
  { icon: Undo2, words: "Refund if we can’t deliver" },
];

/** What this shop is, in one sentence, and the three promises it keeps. */
export function Hero() {
  return (
    <section className="grid items-center gap-10 pt-8 pb-8 sm:pt-16 sm:pb-12 lg:grid-cols-[1fr_22rem]">
      <div>
        <h1 className="max-w-[18em] text-xl sm:text-2xl">Premium tools, for just the days you need.</h1>
        <p className="mt-3 max-w-prose text-base text-muted sm:mt-4">
          Pick a tool, buy a pass for a week, a month or longer, and open it right away. No subscription to
          cancel.
        </p>
        <ul className="mt-5 flex flex-wrap gap-x-6 gap-y-2 sm:mt-6">
          {PROMISES.map(({ icon: Icon, words }) => (
            <li key={words} className="flex items-center gap-2 font-medium">
              <Icon aria-hidden="true" className="size-4 shrink-0 text-accent" />
              {words}
            </li>
          ))}
        </ul>
      </div>
      <SamplePass />
    </section>
  );
}
