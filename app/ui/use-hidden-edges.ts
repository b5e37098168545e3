import { type RefObject, useCallback, useEffect, useState } from "react";

/** At which ends of a row that scrolls something is out of sight. */
export function useHiddenEdges(row: RefObject<HTMLElement | null>) {
  const [edges, setEdges] = useState({ start: false, end: false });
  const updateEdges = useCallback(() => {
    const { scrollLeft = 0, scrollWidth = 0, clientWidth = 0 } = row.current ?? {};
    const start = scrollLeft > 1;
    const end = scrollLeft + clientWidth < scrollWidth - 1;
    setEdges((known) => (known.start === start && known.end === end ? known : { start, end }));
  }, [row]);
  useEffect(() => {
    if (row.current === null) return;
    const observer = new ResizeObserver(updateEdges);
    observer.observe(row.current);
    return () => observer.disconnect();
  }, [row, updateEdges]);
  return { edges, updateEdges };
}
