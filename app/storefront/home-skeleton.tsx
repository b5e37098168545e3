import { Skeleton } from "../ui/skeleton.tsx";
import { VisuallyHidden } from "../ui/visually-hidden.tsx";
import { SiteHeader } from "./site-header.tsx";
import { TicketGrid } from "./ticket-grid.tsx";
import { TicketSkeleton } from "./ticket-skeleton.tsx";

const CARDS = ["a", "b", "c", "d", "e", "f", "g", "h"];

/** Home while its catalogue is on its way: eight tickets without words. */
export function HomeSkeleton() {
  return (
    <>
      <SiteHeader />
      <main id="content" tabIndex={-1} className="mx-auto max-w-page px-4 pb-16 sm:px-6" aria-busy="true">
        <VisuallyHidden>Loading the catalogue</VisuallyHidden>
        <div className="flex flex-col gap-4 py-10 sm:py-16">
          <Skeleton className="h-10 w-4/5 max-w-prose" />
          <Skeleton className="h-6 w-3/5 max-w-prose" />
        </div>
        <TicketGrid>
          {CARDS.map((card) => (
            <li key={card}>
              <TicketSkeleton />
            </li>
          ))}
        </TicketGrid>
      </main>
    </>
  );
}
