import { useEffect, useRef, useState } from "react";
import { Dialog } from "../ui/dialog.tsx";
import { TextField } from "../ui/text-field.tsx";

/** Shows a code that the browser did not let us copy, selected and ready to be copied. Closed while `code` is null. */
export function CopyByHand({
  code,
  server,
  onClose,
}: {
  code: string | null;
  server: string;
  onClose: () => void;
}) {
  const field = useRef<HTMLInputElement>(null);
  // Keeps the words in place while the dialog moves away.
  const [shown, setShown] = useState("");
  useEffect(() => {
    if (code !== null) setShown(code);
  }, [code]);

  return (
    <Dialog
      open={code !== null}
      onOpenChange={(open) => {
        if (!open) onClose();
      }}
      onOpenChangeComplete={(open) => {
        if (!open) setShown("");
      }}
      title="Please copy the code manually"
      description={`Your browser did not let us copy the code of ${server}. Select it and copy it yourself.`}
      initialFocus={field}
    >
      <TextField
        ref={field}
        label="Access code"
        readOnly
        value={shown}
        spellCheck={false}
        autoComplete="off"
        onFocus={(event) => event.currentTarget.select()}
      />
    </Dialog>
  );
}
