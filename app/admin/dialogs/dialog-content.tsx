import type { ReactNode } from "react";
import { Banner } from "../../ui/banner.tsx";
import { Skeleton } from "../../ui/skeleton.tsx";
import type { DialogData } from "./dialog-data.ts";
import { HoldContext, useHold } from "./hold-data.ts";
import { useDialogData } from "./use-dialog-data.ts";

interface DialogContentProps<Data> {
  /** The route that loads the data. */
  href: string;
  /** Whether the dialog is open, and not closing. */
  open: boolean;
  /** Said when the row does not exist any more. */
  gone: string;
  children: (data: Data) => ReactNode;
}

/** The content of a dialog with data of its own: a skeleton while it loads, a message when it cannot be loaded. */
export function DialogContent<Data>({ href, open, gone, children }: DialogContentProps<Data>) {
  const { isHeld, hold } = useHold();
  const data = useDialogData<Data>(href, open && !isHeld);
  if (data === null) return <LoadingRows />;
  if (!data.ok) return <Banner tone="error">{messageOf(data, gone)}</Banner>;
  return <HoldContext value={hold}>{children(data.value)}</HoldContext>;
}

const GONE_CODES = ["not-found", "purchase-not-found"];

function messageOf({ code, message }: DialogData<unknown> & { ok: false }, gone: string): string {
  return GONE_CODES.includes(code) ? gone : message;
}

function LoadingRows() {
  return (
    <div role="status" aria-label="Loading" className="flex flex-col gap-4 py-2">
      <Skeleton className="h-5 w-2/3" />
      <Skeleton className="h-5 w-full" />
      <Skeleton className="h-5 w-1/2" />
    </div>
  );
}
