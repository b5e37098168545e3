import { useEffect, useId, useRef, useState } from "react";
import { Dialog } from "../ui/dialogs/dialog.tsx";
import { useBackStep } from "../ui/dialogs/use-back-step.ts";

/**
 * Shows an access code, selected and ready to be copied manually: the user asked to see it, or the browser refused to
 * copy it. Closed while `code` is null.
 */
export function ManualCopyDialog({
  code,
  server,
  requested,
  onClose,
}: {
  code: string | null;
  server: string;
  /** True: the user asked to see the code. False: the browser refused to copy it. */
  requested: boolean;
  onClose: () => void;
}) {
  const field = useRef<HTMLTextAreaElement>(null);
  const fieldId = useId();
  // The dialog keeps its content while it fades out.
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
      title={requested ? `The code of ${server}` : "Please copy the code manually"}
      description={
        requested
          ? "Type it where the tool asks for it, and keep it to yourself."
          : `Your browser did not let us copy the code of ${server}. Select it and copy it yourself.`
      }
      initialFocus={field}
    >
      <label htmlFor={fieldId} className="font-medium text-sm">
        Access code
      </label>
      {/* A textarea wraps a code that is too long for one line, so that all of it can be read and typed. */}
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
