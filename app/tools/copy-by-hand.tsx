import { useEffect, useId, useRef, useState } from "react";
import { Dialog } from "../ui/dialog.tsx";
import { useBackStep } from "../ui/use-back-step.ts";

/**
 * Shows a code, selected and ready to be copied: one that the person asked to see, or that the browser did not let us
 * copy. Closed while `code` is null.
 */
export function CopyByHand({
  code,
  server,
  asked,
  onClose,
}: {
  code: string | null;
  server: string;
  /** The person asked to see it; otherwise the browser refused to copy. */
  asked: boolean;
  onClose: () => void;
}) {
  const field = useRef<HTMLTextAreaElement>(null);
  const fieldId = useId();
  // Keeps the words in place while the dialog moves away.
  const [shown, setShown] = useState("");
  useEffect(() => {
    if (code !== null) setShown(code);
  }, [code]);

  useBackStep(code === null ? "closed" : "open", onClose);

  return (
    <Dialog
      open={code !== null}
      onOpenChange={(open) => {
        if (!open) onClose();
      }}
      onOpenChangeComplete={(open) => {
        if (!open) setShown("");
      }}
      title={asked ? `The code of ${server}` : "Please copy the code manually"}
      description={
        asked
          ? "Type it where the tool asks for it, and keep it to yourself."
          : `Your browser did not let us copy the code of ${server}. Select it and copy it yourself.`
      }
      initialFocus={field}
    >
      <label htmlFor={fieldId} className="font-medium text-sm">
        Access code
      </label>
      {/* Several lines where one is too short for it, as with large text: it may have to be typed. */}
      <textarea
        ref={field}
        id={fieldId}
        rows={1}
        readOnly
        value={shown}
        spellCheck={false}
        autoComplete="off"
        onFocus={(event) => event.currentTarget.select()}
        className="field-sizing-content wrap-anywhere mt-1.5 block min-h-11 w-full resize-none rounded-control border border-field bg-card px-3 py-2 text-base text-muted"
      />
    </Dialog>
  );
}
