import { type RefCallback, useCallback, useState } from "react";

/** The largest share of the scroll container's height that a sticky element may take. */
const LARGEST_SHARE = 0.6;

/**
 * Whether an element of a dialog is low enough to be sticky. With large text or a long message it would hide the
 * content that scrolls behind it, so it has to scroll too.
 */
export function useCanStick(): { canStick: boolean; ref: RefCallback<HTMLElement> } {
  const [canStick, setCanStick] = useState(true);

  const ref = useCallback((element: HTMLElement | null) => {
    const scroller = element?.closest(".dialog-body");
    if (!element || !scroller) return;
    const observer = new ResizeObserver(() =>
      setCanStick(element.offsetHeight <= scroller.clientHeight * LARGEST_SHARE),
    );
    observer.observe(element);
    observer.observe(scroller);
    return () => observer.disconnect();
  }, []);

  return { canStick, ref };
}
