import type * as Zzfx from "zzfx";
import { mayBeActive } from "../ui/optional-interfaces.ts";
import { isSoundOn } from "./sound-switch.tsx";

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

/** Two sounds this close are heard as a single sound. */
const GAP_MS = 90;
const HOVER_GAP_MS = 250;
/** A sound that comes later than this, because its code was being loaded, belongs to nothing any more. */
const LATE_MS = 400;
const IDLE_MS = 3_000;

export interface Played {
  name: SoundName;
  at: number;
}

/** Whether a sound may follow another: a more important sound always may, and hovering is rare. */
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
const hadGesture = () => sawGesture && mayBeActive();

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

/** The sounds of the shop. */
export type SoundName = "click" | "hover" | "success" | "notification" | "error" | "pop" | "whoosh";

/**
 * The parameters of zzfx for each sound: volume, randomness, frequency in Hz, attack, sustain and release in seconds,
 * shape (0 is a sine, 1 a triangle), its curve, slide, change of slide, pitch jump in Hz and its time in seconds; then
 * repeat, and noise. All are short and quiet: most people hear them while they do something else. The two that say that
 * something is done or new jump up, and the error slides down.
 */
export const PRESETS: Readonly<Record<SoundName, readonly number[]>> = {
  click: [0.5, 0, 880, 0.002, 0.006, 0.03],
  hover: [0.2, 0, 1320, 0.002, 0.004, 0.02],
  success: [0.7, 0, 523, 0.01, 0.07, 0.18, 0, 1, 0, 0, 261, 0.08],
  notification: [0.6, 0, 659, 0.01, 0.08, 0.16, 0, 1, 0, 0, 220, 0.1],
  error: [0.6, 0, 233, 0.01, 0.07, 0.14, 1, 1, -0.4],
  pop: [0.5, 0, 392, 0.004, 0.012, 0.06, 0, 1, 6],
  whoosh: [0.35, 0, 320, 0.05, 0.02, 0.12, 0, 1, -2, 0, 0, 0, 0, 0.4],
};

/** Which of several sounds at the same moment is played: the first of these. */
export const PRIORITY: readonly SoundName[] = [
  "error",
  "success",
  "notification",
  "pop",
  "click",
  "whoosh",
  "hover",
];

export function isSoundName(name: string | null | undefined): name is SoundName {
  return typeof name === "string" && Object.hasOwn(PRESETS, name);
}
