import { spawnSync } from "node:child_process";
import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";
import { chromium } from "@playwright/test";
import { installPackages } from "./install-packages.ts";
import { packageCommand, runNode } from "./run-command.ts";

const NAMES = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];
/** A Chromium without windows: it has no extensions, and takes about a fifth less processor time for a journey. */
const SHELL = "chromium-headless-shell";
const FAILURE =
  "No Chromium could be found or installed for the browser tests: install the package chromium, or set CHROMIUM_PATH to a browser that starts.";

export interface BrowserSearch {
  env: Record<string, string | undefined>;
  /** Where Playwright stores a browser that it has downloaded. */
  downloaded: string;
}

const thisMachine = (): BrowserSearch => ({ env: process.env, downloaded: chromium.executablePath() });

/**
 * Finds a Chromium that starts on this machine: at CHROMIUM_PATH, then on PATH, then the Chromium that Playwright has downloaded.
 * Installs nothing. Throws when CHROMIUM_PATH names something that does not start.
 */
export function findChromium(search: BrowserSearch = thisMachine()): string | undefined {
  const named = search.env.CHROMIUM_PATH;
  if (named) {
    if (starts(named)) return named;
    throw new Error(`CHROMIUM_PATH is ${named}, which does not start; point it at a Chromium or unset it.`);
  }
  return [...onPath(NAMES, search), search.downloaded].find((path) => isExecutable(path) && starts(path));
}

/** The Chromium without windows on PATH. Undefined where there is none, and where CHROMIUM_PATH names a browser for all tests. */
export function findHeadlessShell(search: BrowserSearch = thisMachine()): string | undefined {
  if (search.env.CHROMIUM_PATH) return undefined;
  return onPath([SHELL], search).find((path) => isExecutable(path) && starts(path));
}

function onPath(names: readonly string[], search: BrowserSearch): string[] {
  const folders = (search.env.PATH ?? "").split(delimiter).filter((folder) => folder !== "");
  return names.flatMap((name) => folders.map((folder) => join(folder, name)));
}

/** Like `findChromium`, but downloads or installs a Chromium where there is none. Throws when that fails. */
export async function ensureChromium(log: (line: string) => void): Promise<string> {
  const found = findChromium();
  if (found) return found;
  log("No Chromium on this machine; downloading one for the tests.");
  const playwright = packageCommand("@playwright/test", "playwright");
  await runNode(playwright, ["install", "--no-shell", "chromium"], { limitSeconds: 180 });
  return findChromium() ?? (await installChromium(log));
}

/** Like `findHeadlessShell`, but installs one where apt-get may. The tests also run without it, in the whole Chromium. */
export async function ensureHeadlessShell(log: (line: string) => void): Promise<string | undefined> {
  const found = findHeadlessShell();
  if (found || process.env.CHROMIUM_PATH) return found;
  await installPackages([SHELL], log);
  return findHeadlessShell();
}

async function installChromium(log: (line: string) => void): Promise<string> {
  await installPackages(["chromium"], log);
  const found = findChromium();
  if (!found) throw new Error(FAILURE);
  return found;
}

/** A launcher can exist without its browser, and a browser without its libraries, so the program has to be run. */
function starts(path: string): boolean {
  return spawnSync(path, ["--version"], { stdio: "ignore", timeout: 30_000 }).status === 0;
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
