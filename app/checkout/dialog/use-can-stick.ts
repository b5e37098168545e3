import { type RefCallback, useCallback, useState } from "react";

/** Of the height of what scrolls. */
const LARGEST_SHARE = 0.6;

/**
 * Whether an element of a dialog leaves room for what scrolls behind it. With large text, or a long message, it may not:
 * then it has to scroll as well.
 */
export function useLeavesRoom(): { leavesRoom: boolean; ref: RefCallback<HTMLElement> } {
  const [leavesRoom, setLeavesRoom] = useState(true);

  const ref = useCallback((element: HTMLElement | null) => {
    const scroller = element?.closest(".dialog-body");
    if (!element || !scroller) return;
    const observer = new ResizeObserver(() =>
      setLeavesRoom(element.offsetHeight <= scroller.clientHeight * LARGEST_SHARE),
    );
    observer.observe(element);
    observer.observe(scroller);
    return () => observer.disconnect();
  }, []);

  return { leavesRoom, ref };
}
