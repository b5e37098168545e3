import { Card, Skeleton } from "../../ui/card.tsx";
import { ToolGrid } from "./tool-grid.tsx";

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
      <div className="flex flex-1 flex-col gap-2 p-3 pb-2.5 sm:gap-4 sm:p-5 sm:pb-4">
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
