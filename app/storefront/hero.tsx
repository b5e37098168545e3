import { Icon, RUPEE, UNDO, ZAP } from "./icons.tsx";
import { SamplePass } from "./sample-pass.tsx";

const PROMISES = [
  { icon: RUPEE, text: "Pay by UPI" },
  { icon: ZAP, text: "Opens at once" },
  { icon: UNDO, text: "Refund if we can’t deliver" },
];

/** The shop's headline with its three promises. */
export function Hero() {
  return (
    <section className="grid items-center gap-10 pt-4 pb-2 sm:pt-12 sm:pb-8 lg:grid-cols-[1fr_22rem]">
      <div>
        <h1 className="max-w-[18em] text-xl max-[23.5rem]:text-[1.5rem] sm:text-2xl">
          Premium tools, for just the days you need.
        </h1>
        {/* On phones the first price comes before more words. */}
        <p className="mt-4 hidden max-w-prose text-base text-muted sm:block">
          Pick a tool, buy a pass for a week, a month or longer, and open it right away. No subscription to
          cancel.
        </p>
        <ul className="mt-3 flex flex-wrap gap-x-4 gap-y-1 text-xs sm:mt-6 sm:gap-x-6 sm:gap-y-2 sm:text-sm">
          {PROMISES.map(({ icon, text }) => (
            <li key={text} className="flex items-center gap-1.5 font-medium sm:gap-2">
              <Icon shape={icon} className="size-4 shrink-0 text-accent" />
              {text}
            </li>
          ))}
        </ul>
      </div>
      <SamplePass />
    </section>
  );
}
