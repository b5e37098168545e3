import Laptop from "lucide-react/icons/laptop";
import Puzzle from "lucide-react/icons/puzzle";
import Smartphone from "lucide-react/icons/smartphone";
import type { CatalogueCard } from "#core/catalog/list-active-tools.server.ts";
import { WORKS_ON_LABELS } from "#core/catalog/works-on.ts";
import { classNames } from "../../ui/class-names.ts";

const ICONS = { phone: Smartphone, laptop: Laptop, extension: Puzzle };

interface WorksOnProps {
  places: CatalogueCard["worksOn"];
  className?: string;
}

/** On what a tool works. Renders nothing when the owner has not said it. */
export function WorksOn({ places, className }: WorksOnProps) {
  if (places.length === 0) return null;
  return (
    <div className={classNames("flex flex-wrap items-center gap-x-3 gap-y-1", className)}>
      <p className="text-muted">Works on:</p>
      <ul className="flex flex-wrap gap-x-3 gap-y-1">
        {places.map((place) => {
          const Icon = ICONS[place];
          return (
            <li key={place} className="flex items-center gap-1.5 font-medium">
              <Icon aria-hidden="true" className="size-4 text-muted" />
              {WORKS_ON_LABELS[place]}
            </li>
          );
        })}
      </ul>
    </div>
  );
}
