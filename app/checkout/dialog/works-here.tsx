import CircleCheck from "lucide-react/icons/circle-check";
import TriangleAlert from "lucide-react/icons/triangle-alert";
import type { CatalogueCard } from "#core/catalog/on-sale.server.ts";
import { isForComputers } from "#core/catalog/rules.ts";
import { canHaveExtension } from "../../tools/extension/extension-presence.ts";
import { t } from "../../ui/texts/texts.ts";

type Places = Readonly<CatalogueCard["worksOn"]>;

/**
 * Whether a tool works on the device in hand, before anything is paid. Renders nothing when the owner has not said where it works.
 * For a part of the page that only the browser renders.
 */
export function WorksHere({ places }: { places: Places }) {
  if (places.length === 0) return null;
  const { fits, text, advice } = judge(places, canHaveExtension());
  const Icon = fits ? CircleCheck : TriangleAlert;
  return (
    <div
      className={
        fits
          ? "flex items-center gap-2 text-sm"
          : // Above the durations: below them a phone held sideways shows it only after scrolling.
            "order-first flex gap-2 rounded-control border border-warning/60 bg-warning/15 px-3 py-2 text-sm"
      }
    >
      <Icon
        aria-hidden="true"
        className={`size-4 shrink-0 ${fits ? "text-green" : "mt-0.5 text-accent"}`}
        strokeWidth={2}
      />
      <p>
        <span className="font-medium">{text}</span>
        {advice === null ? null : <span className="block text-xs">{advice}</span>}
      </p>
    </div>
  );
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
