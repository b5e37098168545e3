import { Card } from "../../ui/card.tsx";
import { Skeleton } from "../../ui/skeleton.tsx";

/** The placeholder of a tool's card while the catalogue loads. */
export function ToolCardSkeleton() {
  return (
    <Card className="flex h-full flex-col">
      <div className="flex flex-1 flex-col gap-4 p-5 pb-4">
        <div className="flex items-center gap-3">
          <Skeleton className="size-11 rounded-control" />
          <Skeleton className="h-5 w-32" />
        </div>
        <Skeleton className="h-10 w-full" />
        <div className="flex flex-col gap-3 py-1">
          <Skeleton className="h-4 w-4/5" />
          <Skeleton className="h-4 w-3/5" />
          <Skeleton className="h-4 w-3/4" />
          <Skeleton className="h-4 w-1/2" />
        </div>
      </div>
      <div className="perforation flex flex-col gap-4 p-5 pt-4">
        <Skeleton className="h-14 w-28" />
        <Skeleton className="h-11 w-full rounded-control" />
      </div>
    </Card>
  );
}
