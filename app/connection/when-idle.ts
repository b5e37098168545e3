/** Calls `run` when the page has loaded and the browser is idle. @returns cancels it */
export function whenIdle(run: () => void): () => void {
  const stop = new AbortController();
  const { signal } = stop;
  const runUnlessStopped = () => {
    if (!signal.aborted) run();
  };
  const wait = () => {
    if (typeof requestIdleCallback === "function") requestIdleCallback(runUnlessStopped);
    else setTimeout(runUnlessStopped);
  };
  if (document.readyState === "complete") wait();
  else window.addEventListener("load", wait, { once: true, signal });
  return () => stop.abort();
}
