// Which code a shop's folder runs. `npm run upgrade` puts a new version into .releases/ and names it in .releases/current;
// the folder itself stays as it was installed. This file must run on Node 20.
import {
  closeSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";

const FOLDER = ".releases";
/** The shop ends a trial itself only this long after its end: until then `npm run upgrade` does, which also looks at a page. */
const COMMAND_IS_LATE_MS = 60_000;
/** A new version that ends this often before it is healthy is given up before its time is over. */
const MAX_STARTS = 3;
const CHECK_MS = 1_000;

/**
 * @typedef {object} Current which release runs
 * @property {string | null} release its folder in .releases; null for the code that was installed first
 * @property {string | null} [previous] what runs again when the release is given up
 * @property {{ until: string, starts: number, back: Current }} [trial] while the release is on trial: when that ends (ISO 8601,
 *   UTC), how often the release was started, and what is current again when it is given up
 */

/** The folder that the owner installed the shop in, which has the launcher. @param root the folder of the code that runs */
export function homeOf(root) {
  const parent = dirname(root);
  return basename(parent) === FOLDER ? dirname(parent) : root;
}

/** The name of the release whose code is at `root`, as in .releases/current. Null: it is the code that was installed first. */
export function releaseOf(root) {
  return basename(dirname(root)) === FOLDER ? basename(root) : null;
}

export function releasesIn(home) {
  return join(home, FOLDER);
}

/** The folder that has the code of a release. */
export function folderOf(home, release) {
  return release === null ? home : join(home, FOLDER, release);
}

/** @returns {Current} what .releases/current says @throws Error when the file cannot be read or is not JSON */
export function readCurrent(home) {
  try {
    return JSON.parse(readFileSync(join(home, FOLDER, "current"), "utf8"));
  } catch (error) {
    if (error.code === "ENOENT" || error.code === "ENOTDIR") return { release: null };
    throw new Error(
      `${join(home, FOLDER, "current")} cannot be read: delete it to run the code of this folder.`,
      {
        cause: error,
      },
    );
  }
}

/** @param {Current} current */
export function writeCurrent(home, current) {
  writeSafely(home, "current", current);
}

/**
 * Writes for `npm run upgrade` which release runs, and whether it accepts requests. Where the folder cannot be written, as in a
 * container, there are no upgrades either, and the shop runs without saying it.
 */
export function writeRunning(home, running) {
  try {
    writeSafely(home, "running", running);
  } catch (error) {
    if (error.code === undefined) throw error;
  }
}

/**
 * @returns {{ release: string | null, pid: number, supervisor?: number | null, isReady: boolean } | null} null: no shop was
 *   started yet, or the file cannot be read. `supervisor`: the process that starts the shop again
 */
export function readRunning(home) {
  try {
    return JSON.parse(readFileSync(join(home, FOLDER, "running"), "utf8"));
  } catch {
    return null;
  }
}

/** Writes a file so that a process that is killed leaves the old content or the new one. */
function writeSafely(home, name, value) {
  const folder = join(home, FOLDER);
  mkdirSync(folder, { recursive: true });
  const draft = join(folder, `${name}-${process.pid}.draft`);
  try {
    const file = openSync(draft, "w");
    try {
      writeFileSync(file, `${JSON.stringify(value)}\n`);
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    renameSync(draft, join(folder, name));
  } finally {
    rmSync(draft, { force: true });
  }
}

/**
 * Ends the trial of a release: a healthy release stays; otherwise the release before it is current again. Without a trial nothing
 * changes.
 */
export function endTrial(home, { isHealthy }) {
  const { release, previous = null, trial } = readCurrent(home);
  if (trial === undefined) return;
  writeCurrent(home, isHealthy ? { release, previous } : trial.back);
}

/**
 * Returns the release to start, and counts this start when the release is on trial. A release that was started too often, or
 * whose trial is over, is given up.
 *
 * @param options.now the time, in milliseconds since 1970
 * @param options.log called with a sentence when a release is given up
 * @returns {string | null} null: the code that was installed first
 */
export function chooseRelease(home, { now, log }) {
  const { release, previous = null, trial } = readCurrent(home);
  if (trial === undefined) return release;
  if (trial.starts >= MAX_STARTS || now() > Date.parse(trial.until)) {
    endTrial(home, { isHealthy: false });
    log(`Version ${release ?? "of this folder"} did not start. The version before it runs again.`);
    return trial.back.release;
  }
  writeCurrent(home, { release, previous, trial: { ...trial, starts: trial.starts + 1 } });
  return release;
}

/**
 * Watches, in the shop's process, whether another release is to run. Ends the trial of this one a minute after its time is over,
 * because `npm run upgrade` may have been killed.
 *
 * @param own the release of this process
 * @param options.isReady whether the shop accepts requests
 * @param options.onReplaced called once, when this process is to end so that the other release starts
 * @returns a function that stops watching
 */
export function watchRelease(home, own, { isReady, onReplaced, now = Date.now }) {
  const check = () => {
    const { release, trial } = readCurrent(home);
    if (release === own) {
      if (trial !== undefined && now() > Date.parse(trial.until) + COMMAND_IS_LATE_MS)
        endTrial(home, { isHealthy: isReady() });
      else return;
    }
    if (readCurrent(home).release === own) return;
    clearInterval(timer);
    onReplaced();
  };
  const timer = setInterval(() => {
    try {
      check();
    } catch {
      // The file cannot be read or written, because of a full disk or an edit by hand. The shop goes on.
    }
  }, CHECK_MS);
  timer.unref();
  return () => clearInterval(timer);
}
