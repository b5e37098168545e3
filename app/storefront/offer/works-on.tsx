import type { CatalogueCard } from "#core/catalog/on-sale.server.ts";
import { placeLabel, remarkablePlaces } from "#core/catalog/rules.ts";
import { classNames } from "../../ui/class-names.ts";
import { VisuallyHidden } from "../../ui/text.tsx";
import { t } from "../../ui/texts/texts.ts";
import { Icon } from "../icons.tsx";

/** Shapes from Lucide (ISC licence). */
const ICONS = {
  phone: "M7 2h10a2 2 0 0 1 2 2v16a2 2 0 0 1-2 2H7a2 2 0 0 1-2-2V4a2 2 0 0 1 2-2ZM12 18h.01",
  laptop:
    "M18 5a2 2 0 0 1 2 2v8.526a2 2 0 0 0 .212.897l1.068 2.127a1 1 0 0 1-.9 1.45H3.62a1 1 0 0 1-.9-1.45l1.068-2.127A2 2 0 0 0 4 15.526V7a2 2 0 0 1 2-2zM20.054 15.987H3.946",
  extension:
    "M15.39 4.39a1 1 0 0 0 1.68-.474 2.5 2.5 0 1 1 3.014 3.015 1 1 0 0 0-.474 1.68l1.683 1.682a2.414 2.414 0 0 1 0 3.414L19.61 15.39a1 1 0 0 1-1.68-.474 2.5 2.5 0 1 0-3.014 3.015 1 1 0 0 1 .474 1.68l-1.683 1.682a2.414 2.414 0 0 1-3.414 0L8.61 19.61a1 1 0 0 0-1.68.474 2.5 2.5 0 1 1-3.014-3.015 1 1 0 0 0 .474-1.68l-1.683-1.682a2.414 2.414 0 0 1 0-3.414L4.39 8.61a1 1 0 0 1 1.68.474 2.5 2.5 0 1 0 3.014-3.015 1 1 0 0 1-.474-1.68l1.683-1.682a2.414 2.414 0 0 1 3.414 0z",
};

/** What a card says about a tool that does not work everywhere by itself, such as "Computer only · Needs extension"; else null. */
export function placesText(places: WorksOnProps["places"]): string | null {
  return (
    remarkablePlaces(places)
      .map((label) => t(label))
      .join(" · ") || null
  );
}

interface WorksOnProps {
  places: Readonly<CatalogueCard["worksOn"]>;
  className?: string;
}

/** On what a tool works, as icons for a small ticket. Renders nothing when the owner has not said it. */
export function WorksOnIcons({ places }: Pick<WorksOnProps, "places">) {
  return places.length === 0 ? null : (
    <span className="flex gap-1.5 text-muted">
      <VisuallyHidden>
        {t("Works on: {places}", { places: places.map((place) => t(placeLabel(place, places))).join(", ") })}
      </VisuallyHidden>
      {places.map((place) => (
        <Icon key={place} shape={ICONS[place]} className="size-4" />
      ))}
    </span>
  );
}

/** On what a tool works. Renders nothing when the owner has not said it. */
export function WorksOn({ places, className }: WorksOnProps) {
  if (places.length === 0) return null;
  return (
    <div className={classNames("flex flex-wrap items-center gap-x-3 gap-y-1", className)}>
      <p className="text-muted">{t("Works on:")}</p>
      <ul className="flex flex-wrap gap-x-3 gap-y-1">
        {places.map((place) => (
          <li key={place} className="flex items-center gap-1.5 font-medium">
            <Icon shape={ICONS[place]} className="size-4 text-muted" />
            <span>{t(placeLabel(place, places))}</span>
          </li>
        ))}
      </ul>
    </div>
  );
}
