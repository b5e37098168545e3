import { type ComponentType, useEffect, useState } from "react";
import { findPressedControl, showPressed } from "../button.tsx";
import { isShopReachable, NoConnection } from "../shop-connection.tsx";
import type { Elements } from "../texts/texts.ts";

interface LazyDialogProps<Props extends object> {
  /** Loads the dialog's code. Called again after a failure, so it must not cache a rejected promise. */
  load: () => Promise<ComponentType<Props>>;
  /** The dialog, where its code has been loaded before: it then opens at once. */
  loaded?: ComponentType<Props> | null;
  props: Props;
  /** Whether the dialog should be visible. A failure is shown only then. */
  open: boolean;
  /** Shown while the code is being loaded; otherwise only the pressed control shows that something is coming. */
  shell?: Elements;
  /** Called when the person closes the message about a failure. */
  onGiveUp: () => void;
}

/**
 * A dialog whose code is loaded when it is needed. A failure is shown in a small sheet, and the page stays as it is.
 */
export function LazyDialog<Props extends object>({
  load,
  loaded = null,
  props,
  open,
  shell,
  onGiveUp,
}: LazyDialogProps<Props>) {
  const [Loaded, setLoaded] = useState<ComponentType<Props> | null>(() => loaded);
  const [tries, setTries] = useState(0);
  const [failed, setFailed] = useState(false);
  const [busy, setBusy] = useState(false);

  const isLoaded = Loaded !== null;
  useEffect(() => {
    if (isLoaded) return;
    let cancelled = false;
    const showReady = showPressed(findPressedControl());
    loadOrReload(load, tries).then(
      (component) => {
        showReady();
        if (!cancelled) setLoaded(() => component);
      },
      () => {
        showReady();
        if (cancelled) return;
        setFailed(true);
        setBusy(false);
      },
    );
    return () => {
      cancelled = true;
      showReady();
    };
  }, [load, tries, isLoaded]);

  if (Loaded) return <Loaded {...props} />;
  if (!open) return null;
  return (
    <>
      {shell}
      {failed ? (
        <NoConnection
          busy={busy}
          onTryAgain={() => {
            setBusy(true);
            setTries(tries + 1);
          }}
          onClose={onGiveUp}
        />
      ) : null}
    </>
  );
}

async function loadOrReload<Component>(load: () => Promise<Component>, tries: number): Promise<Component> {
  try {
    return await load();
  } catch (error) {
    // The shop responds and the code cannot be loaded: a newer version has replaced it, or the browser has cached the
    // failure for the life of the document. Only a new document helps.
    if (tries > 0 && (await isShopReachable())) window.location.reload();
    throw error;
  }
}

const INTERACTIONS = ["pointermove", "touchstart", "keydown", "scroll"] as const;

/**
 * Calls `load` once, at the first interaction. Code that is soon needed is then ready and does not slow the first load.
 */
export function usePreloadOnInteraction(load: () => Promise<unknown>): void {
  useEffect(() => {
    const stop = new AbortController();
    const run = ({ type, target }: Event) => {
      // A link that is pressed needs the code of its page first.
      if (type === "touchstart" && target instanceof Element && target.closest("a") !== null) return;
      stop.abort();
      // A failure is no error yet, because the code is loaded again when it is needed.
      load().catch(() => undefined);
    };
    for (const event of INTERACTIONS) {
      window.addEventListener(event, run, { passive: true, signal: stop.signal });
    }
    return () => stop.abort();
  }, [load]);
}
