import { useSyncExternalStore } from "react";
import { withStorage } from "../ui/optional-interfaces.ts";
import { t } from "../ui/texts/texts.ts";

/** Switches the sounds of the shop on and off, for this browser. */
export function SoundSwitch() {
  const on = useSyncExternalStore(onSoundChange, isSoundOn, () => true);
  return (
    <button
      type="button"
      role="switch"
      aria-checked={on}
      onClick={() => chooseSound(on ? "off" : "on")}
      className="inline-flex min-h-11 items-center gap-2 text-muted text-sm hover:text-ink sm:min-h-8"
    >
      <span>{t("Sound")}</span>
      <span aria-hidden="true" className="-ml-1 min-w-6 whitespace-nowrap text-left">
        {t(on ? "on" : "off")}
      </span>
      <span
        aria-hidden="true"
        className={`inline-flex w-8 rounded-full border p-0.5 transition-colors ${on ? "justify-end border-ink bg-ink" : "border-field"}`}
      >
        <span className={`size-3.5 rounded-full ${on ? "bg-paper" : "bg-field"}`} />
      </span>
    </button>
  );
}

/** What the person has chosen with the switch; null: nothing yet. */
type SoundChoice = "on" | "off" | null;

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

function chooseSound(choice: "on" | "off"): void {
  unstored = choice;
  withStorage("local", (storage) => storage.setItem(KEY, choice));
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
  // A stored value that is none of these was set by hand.
  const stored = withStorage("local", (storage) => storage.getItem(KEY) ?? "");
  if (stored === null) return unstored;
  return stored === "on" || stored === "off" ? stored : null;
}
