import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { ViteDevServer } from "vite";
import { z } from "zod";
import { findFreePort } from "../embedded-postgres/cluster.ts";
import type { Env } from "../env.ts";
import type { AskOwner } from "./ask-owner.ts";
import type { BackupArguments } from "./backup-arguments.ts";
import type { DoctorArguments, DoctorSetup } from "./doctor-setup.ts";
import type { ImportArguments } from "./import-arguments.ts";

/** What the bundle gets; the same for every task. */
export type ShopOptions = {
  /** The folder of the code, with its build. */
  readonly root: string;
  readonly env: Env;
  /** The database in use, embedded or not. */
  readonly databaseUrl: string;
  readonly databaseDirectUrl: string;
  readonly embedded: boolean;
  /** Called once when the shop accepts requests, before it answers the first one. */
  readonly onReady: () => void;
  /** Stops the shop and ends the process with an error. Called when the shop cannot continue. */
  readonly onFatal: (error: Error) => void;
  /** Registers a handler for errors that no code handled. It returns true when the shop can continue. */
  readonly handleUncaughtErrorsWith: (handle: (error: unknown) => boolean) => void;
  /** How a task asks the owner. */
  readonly askOwner: AskOwner;
  /** Aborted when somebody asks the task to stop. */
  readonly stop: AbortSignal;
  /** The arguments of an import; null for every other task. */
  readonly import: ImportArguments | null;
  /** The arguments of a backup or a restore; null for every other task. */
  readonly backup: BackupArguments | null;
  /** Only with hot reload; in middleware mode. */
  readonly viteDevServer?: ViteDevServer;
};

export type Bundle = {
  startShop(options: ShopOptions): Promise<{ stop(): Promise<void> }>;
  resetAdmin?(options: ShopOptions): Promise<void>;
  rotateVault?(options: ShopOptions): Promise<void>;
  giveUpKeys?(options: ShopOptions): Promise<void>;
  importShop?(options: ShopOptions): Promise<void>;
  backUp?(options: ShopOptions): Promise<void>;
  restore?(options: ShopOptions): Promise<void>;
  /** Prints the report. @returns whether nothing has failed */
  doctor?(options: DoctorSetup & DoctorArguments): Promise<boolean>;
};

const isFunction = (value: unknown) => typeof value === "function";
const bundleSchema = z.object({
  startShop: z.custom<Bundle["startShop"]>(isFunction),
  resetAdmin: z.custom<NonNullable<Bundle["resetAdmin"]>>(isFunction).exactOptional(),
  rotateVault: z.custom<NonNullable<Bundle["rotateVault"]>>(isFunction).exactOptional(),
  giveUpKeys: z.custom<NonNullable<Bundle["giveUpKeys"]>>(isFunction).exactOptional(),
  importShop: z.custom<NonNullable<Bundle["importShop"]>>(isFunction).exactOptional(),
  backUp: z.custom<NonNullable<Bundle["backUp"]>>(isFunction).exactOptional(),
  restore: z.custom<NonNullable<Bundle["restore"]>>(isFunction).exactOptional(),
  doctor: z.custom<NonNullable<Bundle["doctor"]>>(isFunction).exactOptional(),
});

/** Loads the built server; in development its sources, which Vite compiles on demand. */
export async function loadBundle(root: string, vite: ViteDevServer | undefined): Promise<Bundle> {
  const loaded: unknown =
    vite === undefined
      ? await import(pathToFileURL(join(root, "build/server/index.js")).href)
      : await vite.ssrLoadModule("/server/bundle.ts");
  return bundleSchema.parse(loaded);
}

const VITE_SIGNALS = ["SIGTERM", "SIGINT"] as const;

/**
 * Starts Vite with hot reload in our process. Its handlers that end the process are removed: they would leave the database
 * running.
 */
export async function startVite(): Promise<ViteDevServer> {
  const { createServer } = await import("vite");
  const before = VITE_SIGNALS.map((signal) => process.listeners(signal));
  const stdinBefore = process.stdin.rawListeners("end");
  // Its default port is one for all development servers of the machine, of which only the first could reload its pages.
  const server = { middlewareMode: true, hmr: { port: await findFreePort() } };
  const vite = await createServer({ appType: "custom", server });
  VITE_SIGNALS.forEach((signal, index) => {
    for (const listener of process.listeners(signal)) {
      if (!before[index]?.includes(listener)) process.off(signal, listener);
    }
  });
  // A terminal that closes also sends a signal.
  if (process.stdin.rawListeners("end").length > stdinBefore.length) process.stdin.removeAllListeners("end");
  return vite;
}
