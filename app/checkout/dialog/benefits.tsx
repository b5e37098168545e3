import Clock from "lucide-react/icons/clock";
import InfinityIcon from "lucide-react/icons/infinity";
import Sparkles from "lucide-react/icons/sparkles";
import type { Step } from "./checkout-state.ts";

/** The limits of a tool are among its features, and "Unlimited usage" must not contradict them. */
const LIMITS_TEXT = "We add no limits; the provider’s own still apply.";

/** What every pass includes: with texts on wide screens, as one short row and the limits on phones. */
export function Benefits({ step }: { step: Step["name"] }) {
  const benefits = [
    { Icon: Sparkles, title: "Premium access", text: accessText(step) },
    { Icon: InfinityIcon, title: "Unlimited usage", text: LIMITS_TEXT },
    { Icon: Clock, title: "24/7", text: "Open it any time, day or night." },
  ];
  return (
    <div>
      <ul className="flex flex-wrap gap-x-4 gap-y-1 sm:flex-col sm:gap-3">
        {benefits.map(({ Icon, title, text }) => (
          <li key={title} className="flex items-center gap-1.5 sm:items-start sm:gap-3">
            <Icon
              aria-hidden="true"
              className="size-4 shrink-0 text-accent sm:mt-0.5 sm:size-5"
              strokeWidth={1.75}
            />
            <div>
              <p className="font-medium text-xs sm:text-sm">{title}</p>
              <p className="hidden text-muted text-xs sm:block">{text}</p>
            </div>
          </li>
        ))}
      </ul>
      <p className="text-muted text-xs sm:hidden">{LIMITS_TEXT}</p>
    </div>
  );
}

function accessText(step: Step["name"]): string {
  if (step === "contact") return "The paid plan, set up for you on WhatsApp.";
  if (step === "free") return "Yours to use as soon as you sign in.";
  return "The paid plan, unlocked as soon as you pay.";
}
