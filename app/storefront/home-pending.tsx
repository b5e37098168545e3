import type { ReactNode } from "react";
import { useLocation, useNavigation } from "react-router";
import { Skeleton } from "../ui/card.tsx";
import { VisuallyHidden } from "../ui/text.tsx";
import { SkeletonGrid } from "./catalogue/skeleton-grid.tsx";
import { Hero } from "./hero.tsx";
import { SiteHeader } from "./site-header.tsx";
import { useSlow } from "./use-slow.ts";

/** Shows the skeleton of the home page, instead of the previous page, while the home page loads. */
export function HomePending({ children }: { children: ReactNode }) {
  const navigation = useNavigation();
  const { pathname } = useLocation();
  const loadsHome =
    navigation.state === "loading" &&
    navigation.formMethod === undefined &&
    navigation.location.pathname === "/" &&
    pathname !== "/";
  return useSlow(loadsHome) ? <HomeSkeleton /> : children;
}

/** The home page while its catalogue loads: eight empty cards. */
function HomeSkeleton() {
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
