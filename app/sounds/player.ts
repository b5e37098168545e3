import type * as Zzfx from "zzfx";
import { PRESETS, PRIORITY, type SoundName } from "./presets.ts";
import { isSoundOn } from "./sound-choice.ts";

interface Moment {
  /** The person has clicked, tapped or pressed a key in this document. */
  hadGesture: boolean;
  soundOn: boolean;
  /** The page is in another tab. */
  hidden: boolean;
}

/** Browsers allow sound after the first gesture, and so do we; never from a page that nobody looks at. */
export function mayPlay({ hadGesture, soundOn, hidden }: Moment): boolean {
  return hadGesture && soundOn && !hidden;
}

/** Two sounds this close are heard as one. */
const GAP_MS = 90;
const HOVER_GAP_MS = 250;
/** A sound that comes later than this, because its code was being loaded, belongs to nothing any more. */
const LATE_MS = 400;
const IDLE_MS = 3_000;

export interface Played {
  name: SoundName;
  at: number;
}

/** Whether a sound may follow another one: a more important one always may, and hovering is rare. */
export function mayFollow(last: Played | null, next: Played): boolean {
  if (last === null) return true;
  const gap = next.at - last.at;
  if (next.name === "hover") return gap >= HOVER_GAP_MS;
  return gap >= GAP_MS || PRIORITY.indexOf(next.name) < PRIORITY.indexOf(last.name);
}

let last: Played | null = null;
let engine: Promise<typeof Zzfx> | null = null;
let sawGesture = false;
let idle: ReturnType<typeof setTimeout> | undefined;

/** To be called for each gesture of the person. */
export function noteGesture(): void {
  sawGesture = true;
}

/** Not every key is a gesture for the browser: it refuses audio after Escape alone. */
const hadGesture = () => sawGesture && navigator.userActivation?.hasBeenActive !== false;

/**
 * Plays a sound if sounds are on. The code of the sounds, which opens the audio device, is loaded for the first one. Never throws:
 * a browser without audio is silent.
 */
export function play(name: SoundName): void {
  if (!mayPlay({ hadGesture: hadGesture(), soundOn: isSoundOn(), hidden: document.hidden })) return;
  const next = { name, at: performance.now() };
  if (!mayFollow(last, next)) return;
  last = next;
  engine ??= import("zzfx");
  engine
    .then(({ ZZFX }) => {
      if (performance.now() - next.at > LATE_MS) return;
      const { audioContext } = ZZFX;
      if (audioContext.state !== "running") void audioContext.resume();
      ZZFX.play(...PRESETS[name]);
      clearTimeout(idle);
      // An open audio device costs a phone power.
      idle = setTimeout(() => void audioContext.suspend(), IDLE_MS);
    })
    .catch(() => {
      // Its code could not be loaded, or there is no audio device. The next sound tries again.
      engine = null;
    });
}
