import CircleCheck from "lucide-react/icons/circle-check";
import TriangleAlert from "lucide-react/icons/triangle-alert";
import type { CatalogueCard } from "#core/catalog/on-sale.server.ts";
import { isForComputers } from "#core/catalog/rules.ts";
import { canHaveExtension } from "../../tools/extension/extension-presence.ts";
import { t } from "../../ui/texts/texts.ts";

type Places = Readonly<CatalogueCard["worksOn"]>;

interface PlacesProps {
  /** Empty: the owner has not said where the tool works. */
  places: Places;
}

/**
 * Says before anything is paid that a tool works on the device in hand; nothing where it does not. For a part of the page that
 * only the browser renders, like the next one.
 */
export function WorksHere({ places }: PlacesProps) {
  const { fits, text } = judge(places, canHaveExtension());
  return places.length > 0 && fits ? (
    <p className="flex items-center gap-1 text-muted text-xs">
      <CircleCheck aria-hidden="true" className="size-3.5 shrink-0 text-green" strokeWidth={2} />
      <span>{text}</span>
    </p>
  ) : null;
}

/** Says that a tool does not work on the device in hand, and what to do about it; nothing where it works. */
export function WorksElsewhere({ places }: PlacesProps) {
  const { fits, text, advice } = judge(places, canHaveExtension());
  return places.length > 0 && !fits ? (
    // Above the durations: below them a phone held sideways shows it only after scrolling.
    <div className="order-first flex gap-2 rounded-control border border-warning/60 bg-warning/15 px-3 py-2 text-sm">
      <TriangleAlert aria-hidden="true" className="mt-0.5 size-4 shrink-0 text-accent" strokeWidth={2} />
      <p>
        <span className="font-medium">{text}</span>
        <span className="block text-xs">{advice}</span>
      </p>
    </div>
  ) : null;
}

interface Judgement {
  fits: boolean;
  text: string;
  /** What to do about it. */
  advice: string | null;
}

/** @param onComputer whether the device is a computer: neither a phone nor a tablet */
export function judge(places: Places, onComputer: boolean): Judgement {
  const onPhones = !isForComputers(places);
  const needsExtension = places.includes("extension");
  if (onComputer) {
    if (!places.includes("laptop") && !needsExtension)
      return {
        fits: false,
        text: t("Phone only"),
        advice: t("You can buy it here and use it on a phone."),
      };
    return {
      fits: true,
      text: t(needsExtension ? "Works on this computer, with our extension" : "Works on this computer"),
      advice: null,
    };
  }
  if (onPhones) return { fits: true, text: t("Works on your phone"), advice: null };
  return {
    fits: false,
    text: t(needsExtension ? "Computer only, with our extension" : "Computer only"),
    advice: t("Not for phones and tablets. You can buy it here and use it on a computer."),
  };
}
