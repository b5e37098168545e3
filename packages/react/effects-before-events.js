import { options } from "preact";

/** As in Preact: effects run after the next frame, or after 35 ms in a window that draws none. */
const LONGEST_FRAME_MS = 35;

let runPending;

function runEffects() {
  const run = runPending;
  runPending = undefined;
  run?.();
}

function afterNextFrame() {
  const done = () => {
    clearTimeout(timeout);
    cancelAnimationFrame(frame);
    setTimeout(runEffects);
  };
  const timeout = setTimeout(done, LONGEST_FRAME_MS);
  const frame = requestAnimationFrame(done);
}

/**
 * Runs waiting effects before the next key or press is handled. Otherwise a dialog that has just appeared would not close with
 * Escape, because it listens for keys in an effect.
 */
export function runEffectsBeforeEvents() {
  if (typeof window === "undefined" || typeof requestAnimationFrame !== "function") return;
  options.requestAnimationFrame = (run) => {
    runPending = run;
    afterNextFrame();
  };
  for (const type of ["keydown", "pointerdown", "click"]) window.addEventListener(type, runEffects, true);
}
