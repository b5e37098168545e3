import { execFile, spawn } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { constants } from "node:os";
import { basename, delimiter, dirname, join } from "node:path";
import { promisify } from "node:util";

const FETCHED_VERSION = "24.21.0";
const PARENT_CHECK_MS = 250;
/** Signals that end the shop in order. */
export const STOP_SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"];

/** React Router needs 22.22; 23 is out of support and lacks what came to 22 later. */
export function isNewEnough(version) {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  return major >= 24 || (major === 22 && minor >= 22);
}

/**
 * The path of a Node that is new enough, fetched through npm at the first call. It is made under a name of its
 * own and renamed, so an interrupted fetch, or two at the same time, leave no half one.
 */
export async function fetchNode(root) {
  const packageName = `node-${process.platform === "win32" ? "win" : process.platform}-${process.arch}`;
  const folder = join(root, ".runtime");
  const home = join(folder, `node-${FETCHED_VERSION}-${process.platform}-${process.arch}`);
  const nodeIn = (place) =>
    join(place, "node_modules", packageName, "bin", process.platform === "win32" ? "node.exe" : "node");
  if (existsSync(nodeIn(home))) return nodeIn(home);

  const draft = join(folder, `draft-${process.pid}-${Date.now()}`);
  try {
    sweepDrafts(folder);
    mkdirSync(draft, { recursive: true });
    writeFileSync(join(draft, "package.json"), '{ "private": true }\n');
    console.error(
      `Daypass needs Node 22.22 or newer: fetching Node ${FETCHED_VERSION}, once, about 100 MB …`,
    );
    await npm(["install", "--prefix", draft, "--ignore-scripts", `${packageName}@${FETCHED_VERSION}`]);
    const { stdout } = await promisify(execFile)(nodeIn(draft), ["--version"]);
    if (stdout.trim() !== `v${FETCHED_VERSION}`) throw new Error(`it calls itself ${stdout.trim()}`);
    moveUnlessThere(draft, home);
    return nodeIn(home);
  } catch (error) {
    throw new Error(
      `Daypass needs Node 22.22 or newer, this is ${process.versions.node}, and fetching one failed (${reasonOf(error)}): install Node 24, or check the network and the disk and try again.`,
      { cause: error },
    );
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
}

/** Runs a program on a Node, which also comes first on its PATH, and resolves to its exit code. */
export async function runOn(node, args) {
  return (await runChild(node, args)).code;
}

/**
 * Runs a program as `runOn` does.
 *
 * @param onMessage told what the program sends
 * @returns its exit code, made of the signal's number where one ended it, and that signal or null
 */
export async function runChild(node, args, onMessage = () => undefined) {
  const path = [dirname(node), process.env.PATH ?? ""].join(delimiter);
  const child = spawn(node, args, {
    // The channel closes when we are killed without a chance to pass that on.
    stdio: ["inherit", "inherit", "inherit", "ipc"],
    env: { ...process.env, PATH: path },
  });
  child.on("message", onMessage);
  const passOn = (signal) => {
    // A Ctrl-C at the terminal reaches the child by itself.
    if (signal !== "SIGINT" || !process.stdin.isTTY) child.kill(signal);
  };
  for (const signal of STOP_SIGNALS) process.on(signal, passOn);
  const unwatch = whenStarterIsGone(() => child.kill("SIGTERM"));
  try {
    return await new Promise((resolve, reject) => {
      child.once("error", reject);
      child.once("exit", (code, signal) =>
        resolve({ code: code ?? 128 + (constants.signals[signal] ?? 0), signal }),
      );
    });
  } finally {
    for (const signal of STOP_SIGNALS) process.off(signal, passOn);
    unwatch();
  }
}

/** Run by runOn or by npm, this process must not outlive the one that runs it. */
export function endWithStarter() {
  const end = () => process.kill(process.pid, "SIGTERM");
  if (process.channel === undefined) {
    whenStarterIsGone(end);
    return;
  }
  process.once("disconnect", end);
  process.channel.unref();
}

/**
 * A killed npm passes nothing on, and neither does the shell it puts in between when it is told to stop; what is
 * left to notice is that our parent is another one. Without npm we may well be meant to outlive our parent.
 *
 * @returns ends the watch
 */
export function whenStarterIsGone(act) {
  if (process.env.npm_lifecycle_event === undefined) return () => undefined;
  const starter = process.ppid;
  const watch = setInterval(() => {
    if (process.ppid === starter) return;
    clearInterval(watch);
    act();
  }, PARENT_CHECK_MS);
  watch.unref();
  return () => clearInterval(watch);
}

function npm(args) {
  const options = ["--no-audit", "--no-fund", "--no-package-lock", "--loglevel=error"];
  const cli = process.env.npm_execpath ?? "";
  const [file, first] = basename(cli) === "npm-cli.js" ? [process.execPath, [cli]] : ["npm", []];
  return promisify(execFile)(file, [...first, ...args, ...options], { shell: process.platform === "win32" });
}

function moveUnlessThere(draft, home) {
  try {
    renameSync(draft, home);
  } catch (error) {
    // Another start was faster; its copy has passed the same check.
    if (!existsSync(home)) throw error;
  }
}

function sweepDrafts(folder) {
  if (!existsSync(folder)) return;
  for (const entry of readdirSync(folder)) {
    const pid = /^draft-(\d+)-/.exec(entry)?.[1];
    if (pid !== undefined && !runs(Number(pid)))
      rmSync(join(folder, entry), { recursive: true, force: true });
  }
}

function runs(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === "EPERM";
  }
}

function reasonOf(error) {
  const lines = String(error.stderr || error.message).split("\n");
  const telling = lines.find((line) => /^npm (error|ERR!) (?!code|A complete)/.test(line)) ?? lines[0] ?? "";
  return telling.replace(/^npm (error|ERR!) /, "").trim();
}
