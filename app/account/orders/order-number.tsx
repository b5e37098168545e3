import { LiveRegion, VisuallyHidden } from "../../ui/text.tsx";
import { useCopy } from "../../ui/use-copy.ts";

const COPIED_MS = 2000;

/** The id of a purchase, to be copied for support. One click selects all of it where copying is refused. */
export function OrderNumber({ purchaseId, toolName }: { purchaseId: string; toolName: string }) {
  const { state, copy } = useCopy(purchaseId, { copiedMs: COPIED_MS });
  return (
    <span className="inline-flex max-w-full items-center gap-x-1">
      <code className="wrap-anywhere min-w-0 select-all font-mono text-xs tracking-tight">{purchaseId}</code>
      <button
        type="button"
        onClick={() => void copy()}
        className="-my-3 inline-flex min-h-11 min-w-11 shrink-0 items-center justify-center rounded-control px-1 font-medium text-accent text-xs underline-offset-4 hover:underline print:hidden"
      >
        {state === "copied" ? "Copied!" : "Copy"}
        <VisuallyHidden> the order number of {toolName}</VisuallyHidden>
      </button>
      <LiveRegion message={state === "copied" ? "The order number was copied" : ""} />
    </span>
  );
}
