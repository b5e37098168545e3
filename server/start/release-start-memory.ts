import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

/** Longer than the first requests and jobs after a start take. */
const AFTER_MS = 10_000;

/**
 * Collects the garbage of the start once, some seconds after it: about 60 MiB. An idle process allocates nothing, so V8
 * would keep it for as long as nobody visits the shop.
 */
export function releaseStartMemory(): void {
  setTimeout(() => {
    setFlagsFromString("--expose-gc");
    const collect: unknown = runInNewContext("gc");
    if (typeof collect === "function") collect();
  }, AFTER_MS).unref();
}
