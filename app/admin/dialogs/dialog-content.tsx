import { createContext, type ReactNode, useCallback, useEffect, useState } from "react";
import { useFetcher } from "react-router";
import { Banner } from "../../ui/banner.tsx";
import { Skeleton } from "../../ui/card.tsx";
import { isNoResponse, NO_RESPONSE } from "../forms/admin-result.ts";

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

const GONE_CODES = ["not-found", "purchase-not-found", "coupon-missing"];

function messageOf({ code, message }: DialogData<unknown> & { ok: false }, gone: string): string {
  return GONE_CODES.includes(code) ? gone : message;
}

/** In place of what a dialog loads. */
export function LoadingRows() {
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

/** Keeps what a dialog shows. @returns releases it */
type Hold = () => () => void;

/**
 * For an action: keeps the data of the dialog that it is in, from its request until its answer is handled. The live update
 * of its own change may be faster than its answer, and would replace the form that waits for it.
 */
export const HoldContext = createContext<Hold | null>(null);

/** For the content of a dialog: whether one of its actions runs. */
function useHold(): { isHeld: boolean; hold: Hold } {
  const [holders, setHolders] = useState(0);
  const hold = useCallback(() => {
    setHolders((count) => count + 1);
    return () => setHolders((count) => count - 1);
  }, []);
  return { isHeld: holders > 0, hold };
}

/** What a route answers that loads the data of one dialog. */
export type DialogData<Data> = { ok: true; value: Data } | { ok: false; code: string; message: string };

/**
 * For the `clientLoader` of such a route: a missing response becomes a result, because the router would otherwise
 * replace the page with the error page.
 */
export async function loadOrExplain<Data>(
  serverLoader: () => Promise<DialogData<Data>>,
  failed: string,
): Promise<DialogData<Data>> {
  try {
    return await serverLoader();
  } catch (error) {
    if (error instanceof Response) throw error;
    if (isNoResponse(error)) return NO_RESPONSE;
    return { ok: false, code: "failed", message: failed };
  }
}
