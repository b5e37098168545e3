/** What the person has chosen with the switch; null: nothing yet. */
export type SoundChoice = "on" | "off" | null;

const KEY = "daypass.sound";
const REDUCED_MOTION = "(prefers-reduced-motion: reduce)";
const listeners = new Set<() => void>();
/** For a browser that stores nothing: the choice is kept while the page is open. */
let unstored: SoundChoice = null;

/** Whether sounds are on: as chosen, and otherwise unless the person wants less motion. */
export function isOn(choice: SoundChoice, reducedMotion: boolean): boolean {
  return choice === null ? !reducedMotion : choice === "on";
}

/** The same for this browser. */
export function isSoundOn(): boolean {
  return isOn(readChoice(), window.matchMedia(REDUCED_MOTION).matches);
}

export function chooseSound(choice: "on" | "off"): void {
  unstored = choice;
  try {
    localStorage.setItem(KEY, choice);
  } catch {
    // `unstored` has it.
  }
  for (const listener of listeners) listener();
}

/** Calls the listener when the sounds are switched on or off, here or on another page of this browser. */
export function onSoundChange(listener: () => void): () => void {
  const motion = window.matchMedia(REDUCED_MOTION);
  listeners.add(listener);
  window.addEventListener("storage", listener);
  motion.addEventListener("change", listener);
  return () => {
    listeners.delete(listener);
    window.removeEventListener("storage", listener);
    motion.removeEventListener("change", listener);
  };
}

function readChoice(): SoundChoice {
  try {
    const stored = localStorage.getItem(KEY);
    return stored === "on" || stored === "off" ? stored : null;
  } catch {
    return unstored;
  }
}
