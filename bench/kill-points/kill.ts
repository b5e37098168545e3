import {
  listChildren,
  listPostmasters,
  type ShopProcess,
  startShop,
  stopShop,
  waitForDatabaseRestart,
} from "../support/shop-process.ts";

export const TARGETS = ["app", "database", "both"] as const;
export type Target = (typeof TARGETS)[number];

/** How the shop is started. */
export interface ShopOptions {
  dataDir: string;
  port: number;
  env: Record<string, string>;
}

/** Sends SIGKILL to the app, to all processes of the database, or both. @returns the postmasters that ran before */
export async function killShop(shop: ShopProcess, options: ShopOptions, target: Target): Promise<number[]> {
  const postmasters = listPostmasters(options.dataDir);
  if (postmasters.length === 0) throw new Error("no database process was found");
  if (target !== "app") {
    for (const pid of postmasters.flatMap((postmaster) => [postmaster, ...listChildren(postmaster)]))
      killProcess(pid);
  }
  if (target !== "database") await stopShop(shop, "SIGKILL");
  return postmasters;
}

/** Starts the shop again, or waits until it has restarted its database. @throws Error with the shop's output */
export async function restartShop(
  shop: ShopProcess,
  options: ShopOptions,
  killed: { target: Target; postmasters: readonly number[] },
): Promise<ShopProcess> {
  if (killed.target !== "database") return startShop(options);
  await waitForDatabaseRestart(shop, { dataDir: options.dataDir, before: killed.postmasters });
  return shop;
}

function killProcess(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // The process ended with its parent.
  }
}
