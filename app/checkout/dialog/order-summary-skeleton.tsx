import { VisuallyHidden } from "../../ui/screen-reader-text.tsx";
import { Skeleton } from "../../ui/skeleton.tsx";

const USUAL_OPTIONS = ["first", "second", "third"];

/** The order summary while the offer is being loaded, in the same shape. */
export function OrderSummarySkeleton() {
  return (
    <div role="status" className="flex h-full flex-col gap-3 sm:gap-4">
      <VisuallyHidden>Checking access</VisuallyHidden>
      <div className="grid gap-2">
        <Skeleton className="h-5.5 w-20" />
        {USUAL_OPTIONS.map((key) => (
          <Skeleton key={key} className="h-14 rounded-control" />
        ))}
      </div>
      <Skeleton className="my-3 h-5 w-32" />
      <div className="mt-auto flex items-center justify-between">
        <Skeleton className="h-4 w-32" />
        <Skeleton className="h-8 w-24" />
      </div>
      <Skeleton className="h-12 rounded-control" />
      <Skeleton className="mb-5 h-10" />
    </div>
  );
}
