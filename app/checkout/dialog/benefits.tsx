import Clock from "lucide-react/icons/clock";
import InfinityIcon from "lucide-react/icons/infinity";
import Sparkles from "lucide-react/icons/sparkles";

const BENEFITS = [
  { Icon: Sparkles, title: "Premium access", text: "The paid plan, opened for you at once." },
  { Icon: InfinityIcon, title: "Unlimited usage", text: "No limit of ours while your pass runs." },
  { Icon: Clock, title: "24/7", text: "Day and night." },
];

/** Replaces the first benefit's text for a tool that is sold by chat. */
const SET_UP_TEXT = "The paid plan, set up for you in our chat.";

/** What a pass includes: with texts on wide screens, as one short row on phones. */
export function Benefits({ setUpByHand }: { setUpByHand: boolean }) {
  return (
    <ul className="flex flex-wrap gap-x-4 gap-y-1 sm:flex-col sm:gap-4">
      {BENEFITS.map(({ Icon, title, text }, index) => (
        <li key={title} className="flex items-center gap-1.5 sm:items-start sm:gap-3">
          <Icon
            aria-hidden="true"
            className="size-4 shrink-0 text-accent sm:mt-0.5 sm:size-5"
            strokeWidth={1.75}
          />
          <div>
            <p className="font-medium text-xs sm:text-sm">{title}</p>
            <p className="hidden text-muted text-xs sm:block">
              {setUpByHand && index === 0 ? SET_UP_TEXT : text}
            </p>
          </div>
        </li>
      ))}
    </ul>
  );
}
