import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import type { ViteDevServer } from "vite";
import { z } from "zod";
import type { Env } from "../env.ts";

/** What the bundle is given; the same for every task. */
export type ShopOptions = {
  readonly env: Env;
  /** The one in use, embedded or not. */
  readonly databaseUrl: string;
  readonly databaseDirectUrl: string;
  readonly embedded: boolean;
  /** Called once, when the shop takes requests: whoever has got an answer knows that this was said before. */
  readonly onReady: () => void;
  /** The shop cannot go on; it is stopped and the process ends with an error. */
  readonly onFatal: (error: Error) => void;
  /** Takes what judges errors that no code handled: true means that the shop goes on. */
  readonly containFaultsWith: (contain: (error: unknown) => boolean) => void;
  /** With hot reload only: in middleware mode. */
  readonly viteDevServer?: ViteDevServer;
};

export type Bundle = {
  startShop(options: ShopOptions): Promise<{ stop(): Promise<void> }>;
  resetAdmin?(options: ShopOptions): Promise<void>;
};

const isFunction = (value: unknown) => typeof value === "function";
const bundleSchema = z.object({
  startShop: z.custom<Bundle["startShop"]>(isFunction),
  resetAdmin: z.custom<NonNullable<Bundle["resetAdmin"]>>(isFunction).optional(),
});

/** The built server, or in development its sources, compiled as they are asked for. */
export async function loadBundle(vite: ViteDevServer | undefined): Promise<Bundle> {
  const loaded: unknown =
    vite === undefined
      ? await import(pathToFileURL(resolve("build/server/index.js")).href)
      : await vite.ssrLoadModule("/server/http/entry.ts");
  const { startShop, resetAdmin } = bundleSchema.parse(loaded);
  return resetAdmin === undefined ? { startShop } : { startShop, resetAdmin };
}

const ENDINGS = ["SIGTERM", "SIGINT"] as const;

/**
 * Vite with hot reload, in our process. Its own ways to end the process are taken away again: they would leave the
 * database running behind us.
 */
export async function startVite(): Promise<ViteDevServer> {
  const { createServer } = await import("vite");
  const before = ENDINGS.map((signal) => process.listeners(signal));
  const stdinBefore = process.stdin.rawListeners("end");
  const vite = await createServer({ appType: "custom", server: { middlewareMode: true } });
  ENDINGS.forEach((signal, index) => {
    for (const listener of process.listeners(signal)) {
      if (!before[index]?.includes(listener)) process.off(signal, listener);
    }
  });
  // A terminal that goes away is told by a signal as well.
  if (process.stdin.rawListeners("end").length > stdinBefore.length) process.stdin.removeAllListeners("end");
  return vite;
}
