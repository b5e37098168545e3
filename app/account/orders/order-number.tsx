import { useEffect, useState } from "react";
import { LiveRegion, VisuallyHidden } from "../../ui/screen-reader-text.tsx";

const COPIED_MS = 2000;

/** The id of a purchase, to be copied for support. One click selects all of it where copying is refused. */
export function OrderNumber({ purchaseId, toolName }: { purchaseId: string; toolName: string }) {
  const [copied, setCopied] = useState(false);
  useEffect(() => {
    if (!copied) return;
    const timer = setTimeout(() => setCopied(false), COPIED_MS);
    return () => clearTimeout(timer);
  }, [copied]);
  const copy = () =>
    navigator.clipboard.writeText(purchaseId).then(
      () => setCopied(true),
      () => undefined,
    );
  return (
    <span className="inline-flex max-w-full items-center gap-x-1">
      <code className="wrap-anywhere min-w-0 select-all font-mono text-xs tracking-tight">{purchaseId}</code>
      <button
        type="button"
        onClick={() => void copy()}
        className="-my-3 inline-flex min-h-11 min-w-11 shrink-0 items-center justify-center rounded-control px-1 font-medium text-accent text-xs underline-offset-4 hover:underline print:hidden"
      >
        {copied ? "Copied!" : "Copy"}
        <VisuallyHidden> the order number of {toolName}</VisuallyHidden>
      </button>
      <LiveRegion message={copied ? "The order number was copied" : ""} />
    </span>
  );
}
