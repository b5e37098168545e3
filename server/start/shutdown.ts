import { explainFileFault, StartupError } from "../embedded-postgres/startup-error.ts";
import { ConfigurationError } from "../env.ts";
import { findDatabaseFault } from "./checks.ts";

const SAME_KEY_PRESS_MS = 1_000;

/** The state of a shutdown, and how one is requested. */
export type Shutdown = {
  /** Aborted when somebody asks to stop or something fails: the shop finishes its work and ends. */
  readonly stop: AbortSignal;
  /** Aborted when somebody asks a second time: the shop ends without finishing its work. */
  readonly force: AbortSignal;
  /** Ends the shop as the first signal does. */
  request(): void;
  /** Ends the shop because it cannot continue. The first error is kept. */
  fail(error: unknown): void;
  failure(): unknown;
  /** Registers a handler for errors that no code handled. Where it returns true, the shop continues. */
  handleUncaughtErrorsWith(handle: (error: unknown) => boolean): void;
  unwatch(): void;
};

/**
 * Listens for SIGINT, SIGTERM and SIGHUP. One Ctrl-C arrives several times, from the terminal and through npm, so only a
 * signal that comes more than a second later counts as a second one.
 */
export function watchForShutdown(now: () => number = Date.now): Shutdown {
  const stop = new AbortController();
  const force = new AbortController();
  let first: number | undefined;
  let failure: unknown;
  const onSignal = () => {
    first ??= now();
    stop.abort();
    if (now() - first > SAME_KEY_PRESS_MS) force.abort();
  };
  const fail = (error: unknown) => {
    failure ??= error;
    stop.abort();
  };
  let handle: (error: unknown) => boolean = () => false;
  const onUncaught = (error: unknown) => {
    if (!handle(error)) fail(error);
  };
  const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
  for (const signal of signals) process.on(signal, onSignal);
  process.on("uncaughtException", onUncaught);
  return {
    stop: stop.signal,
    force: force.signal,
    request: () => stop.abort(),
    fail,
    failure: () => failure,
    handleUncaughtErrorsWith: (handler) => {
      handle = handler;
    },
    unwatch: () => {
      for (const signal of signals) process.off(signal, onSignal);
      process.off("uncaughtException", onUncaught);
    },
  };
}

/** Resolves when the signal is aborted. */
export function whenAborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    signal.addEventListener("abort", () => resolve(), { once: true });
  });
}

/**
 * Errors whose message is one sentence that tells the owner what to do. They come from the bundle and from bin/, so their classes
 * are not the classes of this module graph.
 */
const OWNER_ERRORS: readonly string[] = [
  "KeyError",
  "CatalogueFileError",
  "BuildError",
  "ConfigurationError",
  "DatabaseLostError",
  "OldDatabaseError",
  "MigrationError",
  "DocumentExportError",
  "ImportStoppedError",
  "ImportConflictError",
  "BackupError",
];

/**
 * Describes the failure that ended the shop: by the sentence for the owner where there is one, else with the stacks of the
 * error and its causes. The text and the values of a query are left out, because they can be secrets.
 *
 * @param withStack adds the stack to a sentence for the owner as well
 */
export function describeFailure(error: unknown, { withStack }: { withStack: boolean }): string {
  const fault = findDatabaseFault(error);
  if (fault !== null && !withStack) return `${fault.detail} ${fault.remedy}`;
  if (isForOwner(error)) return withStack ? `${error.message}\n${framesOf(error)}` : error.message;
  const fileFault = explainFileFault(error);
  if (fileFault !== null && !withStack) return fileFault;
  const message = error instanceof Error ? messageOf(error) : String(error);
  const [line = ""] = message.split("\n");
  const sentence = `Daypass stopped: ${line}${/[.!?]$/.test(line) ? "" : "."}`;
  return error instanceof Error ? `${sentence}\n${describeChain(error)}` : sentence;
}

function isForOwner(error: unknown): error is Error {
  if (error instanceof StartupError || error instanceof ConfigurationError) return true;
  return error instanceof Error && OWNER_ERRORS.includes(error.name);
}

function describeChain(error: Error): string {
  const seen = new Set<unknown>();
  const parts: string[] = [];
  for (
    let current: unknown = error;
    current instanceof Error && !seen.has(current);
    current = current.cause
  ) {
    seen.add(current);
    const code = "code" in current ? ` (${String(current.code)})` : "";
    const cause = parts.length > 0 ? "caused by " : "";
    parts.push(`${cause}${current.name}: ${messageOf(current)}${code}\n${framesOf(current)}`);
    if (current instanceof AggregateError) {
      for (const one of current.errors)
        if (one instanceof Error) parts.push(`one of them ${describeChain(one)}`);
    }
  }
  return parts.join("\n");
}

function messageOf(error: Error): string {
  return "query" in error ? "a query failed" : error.message;
}

/** The stack without its first lines, which repeat the message. */
function framesOf(error: Error): string {
  return (error.stack ?? "")
    .split("\n")
    .filter((line) => line.startsWith("    at "))
    .join("\n");
}
