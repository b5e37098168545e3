import { useEffect, useState } from "react";
import { useFetcher } from "react-router";
import { NO_RESPONSE } from "../forms/admin-result.ts";
import type { DialogData } from "./dialog-data.ts";

/**
 * Loads the data of a dialog from its route, and again after every action and every live update. What is shown stays
 * while the connection is lost, and while the dialog closes.
 *
 * @returns null while it loads
 */
export function useDialogData<Data>(href: string, isOpen = true): DialogData<Data> | null {
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
