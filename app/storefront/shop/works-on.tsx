import Laptop from "lucide-react/icons/laptop";
import Puzzle from "lucide-react/icons/puzzle";
import Smartphone from "lucide-react/icons/smartphone";
import type { CatalogueCard } from "#core/catalog/list-active-tools.server.ts";
import { WORKS_ON_LABELS } from "#core/catalog/works-on.ts";

const ICONS = { phone: Smartphone, laptop: Laptop, extension: Puzzle };

/** On what a tool works. Renders nothing when the owner has not said it. */
export function WorksOn({ worksOn }: Pick<CatalogueCard, "worksOn">) {
  if (worksOn.length === 0) return null;
  return (
    <div className="mt-4 flex flex-wrap items-center gap-x-4 gap-y-1">
      <p className="text-muted">Works on:</p>
      <ul className="flex flex-wrap gap-x-4 gap-y-1">
        {worksOn.map((place) => {
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
