import { type ReactNode, useEffect, useState } from "react";
import { useLocation, useNavigation } from "react-router";
import { Card, Skeleton } from "../ui/card.tsx";
import { VisuallyHidden } from "../ui/text.tsx";
import { t } from "../ui/texts/texts.ts";
import { Hero } from "./hero.tsx";
import { SiteHeader } from "./site-header.tsx";

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
        <VisuallyHidden>{t("Loading the catalogue")}</VisuallyHidden>
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

const CARDS = ["a", "b", "c", "d", "e", "f", "g", "h"];

/** Eight empty cards, while the catalogue loads. */
export function SkeletonGrid() {
  return (
    <ToolGrid>
      {CARDS.map((card) => (
        <li key={card}>
          <ToolCardSkeleton />
        </li>
      ))}
    </ToolGrid>
  );
}

/** The placeholder of a tool's card while the catalogue loads. */
function ToolCardSkeleton() {
  return (
    <Card className="flex h-full flex-col">
      <div className="tool-upper">
        <div className="flex items-center gap-3">
          <Skeleton className="size-10 rounded-control sm:size-11" />
          <Skeleton className="h-5 w-32" />
        </div>
        <Skeleton className="hidden h-10 w-full sm:block" />
        <div className="grid grid-cols-2 gap-2 sm:grid-cols-1 sm:gap-3 sm:py-1">
          <Skeleton className="h-4 w-4/5" />
          <Skeleton className="h-4 w-3/5" />
          <Skeleton className="h-4 w-3/4" />
          <Skeleton className="h-4 w-1/2" />
        </div>
        <Skeleton className="h-4 w-24" />
      </div>
      <div className="perforation flex items-center justify-between gap-4 px-3 py-1.5 sm:flex-col sm:items-stretch sm:p-5 sm:pt-4">
        <Skeleton className="h-9 w-24 sm:h-14 sm:w-28" />
        <Skeleton className="h-11 w-28 rounded-control sm:w-full" />
      </div>
    </Card>
  );
}

/** One to four cards in a row. */
export function ToolGrid({ children }: { children: ReactNode }) {
  return (
    <ul className="lays-out-cards-in-view grid grid-cols-1 gap-3 sm:grid-cols-2 sm:gap-5 lg:grid-cols-3 xl:grid-cols-4">
      {children}
    </ul>
  );
}

/** A faster navigation shows no skeleton. */
const SKELETON_DELAY_MS = 120;

/** Whether something has been pending for so long that a skeleton is better than the old content. */
export function useSlow(isPending: boolean): boolean {
  const [delayOver, setDelayOver] = useState(false);
  useEffect(() => {
    if (!isPending) return;
    const timer = setTimeout(() => setDelayOver(true), SKELETON_DELAY_MS);
    return () => {
      clearTimeout(timer);
      setDelayOver(false);
    };
  }, [isPending]);
  return isPending && delayOver;
}
