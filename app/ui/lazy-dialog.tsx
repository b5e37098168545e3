import { type ComponentType, useEffect, useState } from "react";
import { isShopReachable } from "./is-shop-reachable.ts";
import { NoConnection } from "./no-connection.tsx";

interface LateDialogProps<Props extends object> {
  /** Brings the dialog's code; asked again after a failure, so it must not remember one. */
  load: () => Promise<ComponentType<Props>>;
  props: Props;
  /** Whether somebody waits for it: a failure nobody waits for is not worth a word. */
  wanted: boolean;
  /** The person has given up after a failure. */
  onGiveUp: () => void;
}

/** A dialog whose code comes when it is needed. When that fails, a small sheet says so and the page stays as it is. */
export function LazyDialog<Props extends object>({ load, props, wanted, onGiveUp }: LateDialogProps<Props>) {
  const [Loaded, setLoaded] = useState<ComponentType<Props> | null>(null);
  const [tries, setTries] = useState(0);
  const [failed, setFailed] = useState(false);
  const [busy, setBusy] = useState(false);

  useEffect(() => {
    let gone = false;
    bring(load, tries).then(
      (component) => {
        if (!gone) setLoaded(() => component);
      },
      () => {
        if (gone) return;
        setFailed(true);
        setBusy(false);
      },
    );
    return () => {
      gone = true;
    };
  }, [load, tries]);

  if (Loaded) return <Loaded {...props} />;
  if (!failed || !wanted) return null;
  return (
    <NoConnection
      busy={busy}
      onTryAgain={() => {
        setBusy(true);
        setTries(tries + 1);
      }}
      onClose={onGiveUp}
    />
  );
}

async function bring<Component>(load: () => Promise<Component>, tries: number): Promise<Component> {
  try {
    return await load();
  } catch (error) {
    // The shop answers and the code still does not come: it was replaced by a newer one, or this browser keeps the
    // first failure for as long as the document lives. Only a fresh document helps.
    if (tries > 0 && (await isShopReachable())) window.location.reload();
    throw error;
  }
}
