import { execFile, spawn } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, renameSync, rmdirSync, rmSync, writeFileSync } from "node:fs";
import { constants } from "node:os";
import { basename, delimiter, dirname, join } from "node:path";
import { promisify } from "node:util";

const FETCHED_VERSION = "24.21.0";
const PARENT_CHECK_MS = 250;
/** Signals that stop the shop. */
export const STOP_SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"];

/** React Router needs 22.22. Version 23 is not supported and lacks later changes of 22. */
export function isNewEnough(version) {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  return major >= 24 || (major === 22 && minor >= 22);
}

/**
 * Returns the path of a Node that is new enough. The first call fetches it through npm, into a temporary folder that is then
 * renamed, so that neither an interrupted fetch nor two at the same time leave an incomplete one.
 */
export async function fetchNode(root) {
  const packageName = `node-${process.platform === "win32" ? "win" : process.platform}-${process.arch}`;
  const folder = join(root, ".runtime");
  const home = join(folder, `node-${FETCHED_VERSION}-${process.platform}-${process.arch}`);
  const nodeIn = (folder) =>
    join(folder, "node_modules", packageName, "bin", process.platform === "win32" ? "node.exe" : "node");
  if (existsSync(nodeIn(home))) return nodeIn(home);

  const draft = join(folder, `draft-${process.pid}-${Date.now()}`);
  try {
    removeOldDrafts(folder);
    mkdirSync(draft, { recursive: true });
    writeFileSync(join(draft, "package.json"), '{ "private": true }\n');
    console.error(
      `Daypass needs Node 22.22 or newer: fetching Node ${FETCHED_VERSION}, once, about 100 MB …`,
    );
    await npm([
      "install",
      "--prefix",
      draft,
      "--no-package-lock",
      "--ignore-scripts",
      `${packageName}@${FETCHED_VERSION}`,
    ]);
    const { stdout } = await promisify(execFile)(nodeIn(draft), ["--version"]);
    if (stdout.trim() !== `v${FETCHED_VERSION}`) throw new Error(`it reports version ${stdout.trim()}`);
    moveUnlessExists(draft, home);
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

/** Runs a program on the given Node, which is also the first on its PATH. @returns the exit code */
export async function runOn(node, args) {
  return (await runChild(node, args)).code;
}

/**
 * Runs a program as `runOn` does.
 *
 * @param onMessage called with each message of the program
 * @returns its exit code, or 128 plus the number of the signal that ended it; and that signal or null
 */
export async function runChild(node, args, onMessage = () => undefined) {
  const path = [dirname(node), process.env.PATH ?? ""].join(delimiter);
  const child = spawn(node, args, {
    // The channel closes when we are killed, so that the child notices it.
    stdio: ["inherit", "inherit", "inherit", "ipc"],
    env: { ...process.env, PATH: path },
  });
  child.on("message", onMessage);
  const forward = (signal) => {
    // The terminal sends a Ctrl-C to the child itself.
    if (signal !== "SIGINT" || !process.stdin.isTTY) child.kill(signal);
  };
  for (const signal of STOP_SIGNALS) process.on(signal, forward);
  const unwatch = onParentExit(() => child.kill("SIGTERM"));
  try {
    return await new Promise((resolve, reject) => {
      child.once("error", reject);
      child.once("exit", (code, signal) =>
        resolve({ code: code ?? 128 + (constants.signals[signal] ?? 0), signal }),
      );
    });
  } finally {
    for (const signal of STOP_SIGNALS) process.off(signal, forward);
    unwatch();
  }
}

/** Ends this process when the process that started it ends, which is runOn or npm. */
export function endWithParent() {
  const end = () => process.kill(process.pid, "SIGTERM");
  if (process.channel === undefined) {
    onParentExit(end);
    return;
  }
  process.once("disconnect", end);
  process.channel.unref();
}

/**
 * Calls `act` when the process that started this one has ended. A killed npm forwards no signal, and neither does the shell
 * that it starts between, so this compares the id of the parent. Without npm it does nothing: the process may be meant to
 * outlive its parent.
 *
 * @returns stops the checks
 */
export function onParentExit(act) {
  if (process.env.npm_lifecycle_event === undefined) return () => undefined;
  const parent = process.ppid;
  const watch = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(watch);
    act();
  }, PARENT_CHECK_MS);
  watch.unref();
  return () => clearInterval(watch);
}

/** Runs npm without its advice. @param options.timeout in milliseconds; 0: none @throws Error with `stderr` when npm fails */
export function npm(args, { cwd, env = process.env, timeout = 0 } = {}) {
  const options = ["--no-audit", "--no-fund", "--loglevel=error"];
  const cli = process.env.npm_execpath ?? "";
  const [file, first] = basename(cli) === "npm-cli.js" ? [process.execPath, [cli]] : ["npm", []];
  return promisify(execFile)(file, [...first, ...args, ...options], {
    cwd,
    env,
    timeout,
    shell: process.platform === "win32",
    maxBuffer: 16 * 1024 * 1024,
  });
}

function moveUnlessExists(draft, home) {
  try {
    renameSync(draft, home);
  } catch (error) {
    // Another start was faster, and its copy has passed the same check.
    if (!existsSync(home)) throw error;
  }
}

/** Deletes the drafts of processes that have ended. @param folder may have other files, which stay */
export function removeOldDrafts(folder) {
  if (!existsSync(folder)) return;
  for (const entry of readdirSync(folder)) {
    const pid = /^draft-(\d+)-/.exec(entry)?.[1];
    if (pid !== undefined && !isRunning(Number(pid)))
      rmSync(join(folder, entry), { recursive: true, force: true });
  }
}

export function isRunning(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === "EPERM";
  }
}

/**
 * Lets one process at a time do something: `folder` has a folder named by the id of the process that does it. The lock of a
 * process that has ended is free.
 *
 * @returns ends the lock; or the id of the running process that has it
 */
export function takeLock(folder) {
  const draft = `${folder}-${process.pid}`;
  for (;;) {
    mkdirSync(join(draft, String(process.pid)), { recursive: true });
    try {
      // It replaces an empty folder, and no other.
      renameSync(draft, folder);
      return () => freeLock(folder, String(process.pid));
    } catch (error) {
      rmSync(draft, { recursive: true, force: true });
      if (!["ENOTEMPTY", "EEXIST", "EPERM"].includes(error.code)) throw error;
    }
    const owner = lockOwner(folder);
    if (owner !== null && isRunning(Number(owner))) return Number(owner);
    freeLock(folder, owner ?? "");
  }
}

/** @returns null when the lock has just become free */
function lockOwner(folder) {
  try {
    return readdirSync(folder)[0] ?? null;
  } catch (error) {
    if (error.code === "ENOENT") return null;
    throw error;
  }
}

/** Deletes what is the owner's only: another process may take the lock at any moment. */
function freeLock(folder, owner) {
  for (const path of [join(folder, owner), folder]) {
    try {
      rmdirSync(path);
    } catch (error) {
      if (!["ENOENT", "ENOTEMPTY", "EEXIST"].includes(error.code)) throw error;
    }
  }
}

/** The line in the output of a failed command that says why it failed. */
export function reasonOf(error) {
  // gzip begins with an empty line.
  const lines = `${error.stderr || ""}\n${error.message}`.split("\n").filter((line) => line.trim() !== "");
  const reason = lines.find((line) => /^npm (error|ERR!) (?!code|A complete)/.test(line)) ?? lines[0];
  return (
    reason
      ?.replace(/^npm (error|ERR!) /, "")
      .trim()
      .replace(/\.$/, "") ||
    error.code ||
    "it gave no reason"
  );
}
