import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import {
  chooseRelease,
  endTrial,
  homeOf,
  readCurrent,
  readRunning,
  releaseOf,
  releasesIn,
  watchRelease,
  writeCurrent,
  writeRunning,
} from "./releases.mjs";

const NOW = Date.parse("2026-05-01T10:00:00Z");
const LATER = "2026-05-01T10:02:00.000Z";

function makeHome(): string {
  const home = mkdtempSync(join(tmpdir(), "releases-"));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  return home;
}

const choose = (home: string, at = NOW, log = vi.fn()) => chooseRelease(home, { now: () => at, log });

test("a folder without releases runs its own code", () => {
  const home = makeHome();
  expect(choose(home)).toBeNull();
  expect(existsSync(releasesIn(home))).toBe(false);
  expect([homeOf(home), releaseOf(home)]).toEqual([home, null]);
  const code = join(home, ".releases", "1.0.0-abc");
  expect([homeOf(code), releaseOf(code)]).toEqual([home, "1.0.0-abc"]);
});

test("a release on trial is started three times, and then the one before it", () => {
  const home = makeHome();
  const log = vi.fn();
  writeCurrent(home, {
    release: "2",
    previous: "1",
    trial: { until: LATER, starts: 0, back: { release: "1", previous: "0" } },
  });
  const started = [1, 2, 3, 4, 5].map(() => choose(home, NOW, log));
  expect(started).toEqual(["2", "2", "2", "1", "1"]);
  expect(log.mock.calls).toEqual([["Version 2 did not start. The version before it runs again."]]);
  expect(readCurrent(home)).toEqual({ release: "1", previous: "0" });
});

test("a release whose trial is over is not started again", () => {
  const home = makeHome();
  writeCurrent(home, {
    release: "2",
    previous: null,
    trial: { until: LATER, starts: 1, back: { release: null } },
  });
  expect(choose(home, Date.parse(LATER) + 1)).toBeNull();
  expect(readCurrent(home)).toEqual({ release: null });
});

test("a healthy release stays, and its starts are not counted", () => {
  const home = makeHome();
  writeCurrent(home, {
    release: "2",
    previous: "1",
    trial: { until: LATER, starts: 1, back: { release: "1" } },
  });
  endTrial(home, { isHealthy: true });
  expect([1, 2, 3, 4].map(() => choose(home))).toEqual(["2", "2", "2", "2"]);
  expect(readCurrent(home)).toEqual({ release: "2", previous: "1" });
  expect(readdirSync(releasesIn(home))).toEqual(["current"]);
});

test("a file that cannot be read is named, and nothing is started", () => {
  const home = makeHome();
  mkdirSync(releasesIn(home));
  writeFileSync(join(releasesIn(home), "current"), "{");
  expect(() => choose(home)).toThrow(/current cannot be read: delete it/);
});

test("a shop whose folder cannot be written starts, and says nothing for upgrades", () => {
  const home = makeHome();
  const running = { release: null, pid: process.pid, isReady: true };
  writeRunning(home, running);
  expect(readRunning(home)).toEqual(running);
  rmSync(releasesIn(home), { recursive: true });
  // Root may write everywhere but into a file.
  writeFileSync(releasesIn(home), "");
  expect([choose(home), readCurrent(home)]).toEqual([null, { release: null }]);
  expect(() => writeRunning(home, running)).not.toThrow();
  expect(readRunning(home)).toBeNull();
});

/** Watches a release from its process, with a clock that is moved by hand. */
function watch(home: string, own: string | null, isReady: boolean) {
  vi.useFakeTimers({ now: NOW });
  onTestFinished(() => void vi.useRealTimers());
  const onReplaced = vi.fn();
  const stop = watchRelease(home, own, { isReady: () => isReady, onReplaced });
  onTestFinished(stop);
  return { onReplaced, pass: (ms: number) => vi.advanceTimersByTime(ms) };
}

test("a process notices once that another release is current", () => {
  const home = makeHome();
  const { onReplaced, pass } = watch(home, null, true);
  pass(5_000);
  expect(onReplaced).not.toHaveBeenCalled();
  writeCurrent(home, {
    release: "2",
    previous: null,
    trial: { until: LATER, starts: 0, back: { release: null } },
  });
  pass(5_000);
  expect(onReplaced).toHaveBeenCalledTimes(1);
});

test.each([
  { isReady: true, current: { release: "2", previous: "1" }, ends: 0 },
  { isReady: false, current: { release: "1" }, ends: 1 },
])("a release whose command is gone ends its own trial, ready or not: $isReady", ({
  isReady,
  current,
  ends,
}) => {
  const home = makeHome();
  writeCurrent(home, {
    release: "2",
    previous: "1",
    trial: { until: LATER, starts: 1, back: { release: "1" } },
  });
  const { onReplaced, pass } = watch(home, "2", isReady);
  // The command looks at a page too, so its judgement comes first.
  pass(179_000);
  expect(readCurrent(home)).toHaveProperty("trial");
  pass(3_000);
  expect(readCurrent(home)).toEqual(current);
  expect(onReplaced).toHaveBeenCalledTimes(ends);
});
