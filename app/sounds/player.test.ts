import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { isSoundName, mayFollow, mayPlay, PRESETS, PRIORITY, type SoundName } from "./player.ts";
import { isOn } from "./sound-switch.tsx";

beforeAll(() => vi.stubGlobal("AudioContext", class {}));
afterAll(() => vi.unstubAllGlobals());

test("no sound is played before the first gesture, while sounds are off, or in a tab that nobody sees", () => {
  const moment = { hadGesture: true, soundOn: true, hidden: false };
  expect(mayPlay(moment)).toBe(true);
  expect(mayPlay({ ...moment, hadGesture: false })).toBe(false);
  expect(mayPlay({ ...moment, soundOn: false })).toBe(false);
  expect(mayPlay({ ...moment, hidden: true })).toBe(false);
});

test("sounds are on unless they are switched off or the person wants less motion, and a choice always counts", () => {
  expect(isOn(null, false)).toBe(true);
  expect(isOn(null, true)).toBe(false);
  for (const reducedMotion of [true, false]) {
    expect(isOn("on", reducedMotion)).toBe(true);
    expect(isOn("off", reducedMotion)).toBe(false);
  }
});

test.each<[SoundName, number, SoundName, boolean]>([
  ["click", 89, "pop", true],
  ["pop", 89, "click", false],
  ["pop", 90, "click", true],
  ["click", 89, "click", false],
  ["whoosh", 10, "error", true],
  ["error", 89, "success", false],
  ["hover", 249, "hover", false],
  ["hover", 250, "hover", true],
  ["click", 200, "hover", false],
  ["hover", 10, "click", true],
])("a sound may follow another or not: after %s and %i ms, %s: %o", (first, gap, next, expected) => {
  expect(mayFollow({ name: first, at: 1000 }, { name: next, at: 1000 + gap })).toBe(expected);
});

test("each of the seven sounds has its place in the order, and no other name is a sound", () => {
  const names = ["click", "hover", "success", "notification", "error", "pop", "whoosh"];
  expect(Object.keys(PRESETS)).toEqual(names);
  expect(PRIORITY.toSorted()).toEqual(names.toSorted());
  for (const other of ["toString", "", "beep", null, undefined]) expect(isSoundName(other)).toBe(false);
});

test.each(
  Object.entries(PRESETS),
)("the sound %s is short, quiet and ends in silence", async (_name, preset) => {
  const { ZZFX } = await import("zzfx");
  const samples = ZZFX.buildSamples(...preset);
  expect(samples.length / ZZFX.sampleRate).toBeLessThan(0.3);
  const heard = samples.map((sample) => Math.abs(sample) * ZZFX.volume);
  expect(Math.max(...heard)).toBeGreaterThan(0.005);
  expect(Math.max(...heard)).toBeLessThan(0.08);
  expect(heard.at(-1)).toBeLessThan(0.002);
});
