import { type ReactNode, useEffect, useState } from "react";
import { useFetcher } from "react-router";
import { Banner } from "../../ui/banner.tsx";
import { Skeleton } from "../../ui/card.tsx";
import { NO_RESPONSE } from "../forms/admin-result.ts";
import type { DialogData } from "./dialog-data.ts";
import { HoldContext, useHold } from "./hold-data.ts";

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

/**
 * Loads the data of a dialog from its route, and again after every action and every live update. What is shown stays
 * while the connection is lost, and while the dialog closes.
 *
 * @returns null while it loads
 */
function useDialogData<Data>(href: string, isOpen = true): DialogData<Data> | null {
  const { load, data } = useFetcher<DialogData<Data>>();
  const [shown, setShown] = useState<DialogData<Data> | null>(null);
  useEffect(() => {
    void load(href);
  }, [load, href]);
  const isNew = data !== undefined && data !== shown && isOpen;
  if (isNew && !(shown?.ok && isOffline(data))) setShown(data);
  return shown;
}

function isOffline(data: DialogData<unknown>): boolean {
  return !data.ok && data.code === NO_RESPONSE.code;
}
