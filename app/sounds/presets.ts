/** The sounds of the shop. */
export type SoundName = "click" | "hover" | "success" | "notification" | "error" | "pop" | "whoosh";

/**
 * The parameters of zzfx for each sound: volume, randomness, frequency in Hz, attack, sustain and release in seconds, shape (0 is a
 * sine, 1 a triangle), its curve, slide, change of slide, pitch jump in Hz and its time in seconds; then repeat, and noise. All are
 * short and quiet: most people hear them while they do something else. The two that say that something is done or new
 * jump up, and the error slides down.
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
