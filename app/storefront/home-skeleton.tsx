import { VisuallyHidden } from "../ui/screen-reader-text.tsx";
import { Skeleton } from "../ui/skeleton.tsx";
import { ToolCardSkeleton } from "./catalogue/tool-card-skeleton.tsx";
import { ToolGrid } from "./catalogue/tool-grid.tsx";
import { Hero } from "./hero.tsx";
import { SiteHeader } from "./site-header.tsx";

const CARDS = ["a", "b", "c", "d", "e", "f", "g", "h"];

/** The home page while its catalogue loads: eight empty cards. */
export function HomeSkeleton() {
  return (
    <>
      <SiteHeader />
      <main id="content" tabIndex={-1} className="mx-auto max-w-page px-4 pb-16 sm:px-6" aria-busy="true">
        <VisuallyHidden>Loading the catalogue</VisuallyHidden>
        <Hero />
        <div className="mb-5 flex flex-col gap-3 sm:flex-row sm:items-center sm:justify-between">
          <Skeleton className="h-8 w-20" />
          <Skeleton className="h-11 rounded-control sm:w-72" />
        </div>
        <ToolGrid>
          {CARDS.map((card) => (
            <li key={card}>
              <ToolCardSkeleton />
            </li>
          ))}
        </ToolGrid>
      </main>
    </>
  );
}
