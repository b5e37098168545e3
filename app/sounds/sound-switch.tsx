import { useSyncExternalStore } from "react";
import { chooseSound, isSoundOn, onSoundChange } from "./sound-choice.ts";

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
      Sound
      <span aria-hidden="true" className="-ml-1 w-6 text-left">
        {on ? "on" : "off"}
      </span>
      <span
        aria-hidden="true"
        className={`inline-flex w-8 rounded-full border p-0.5 transition-colors ${on ? "justify-end border-strong bg-strong" : "border-field"}`}
      >
        <span className={`size-3.5 rounded-full ${on ? "bg-on-strong" : "bg-field"}`} />
      </span>
    </button>
  );
}
