import { VisuallyHidden } from "../ui/screen-reader-text.tsx";
import { Skeleton } from "../ui/skeleton.tsx";
import { SkeletonGrid } from "./catalogue/skeleton-grid.tsx";
import { Hero } from "./hero.tsx";
import { SiteHeader } from "./site-header.tsx";

/** The home page while its catalogue loads: eight empty cards. */
export function HomeSkeleton() {
  return (
    <>
      <SiteHeader scrollsAwayOnPhones />
      <main id="content" tabIndex={-1} className="mx-auto max-w-page px-4 pb-16 sm:px-6" aria-busy="true">
        <VisuallyHidden>Loading the catalogue</VisuallyHidden>
        <Hero />
        <div className="flex flex-col gap-2 py-2 sm:flex-row-reverse sm:items-center sm:justify-between sm:py-3">
          <Skeleton className="h-11 rounded-control sm:w-72" />
          <Skeleton className="h-11 w-64 rounded-full" />
        </div>
        <SkeletonGrid />
      </main>
    </>
  );
}
