import {
  childrenOf,
  postmastersOf,
  type ShopProcess,
  startShop,
  stopShop,
  untilDatabaseIsBack,
} from "../shop-process.ts";

export const TARGETS = ["app", "database", "both"] as const;
export type Target = (typeof TARGETS)[number];

/** How a shop is started, and where its database lives. */
export interface ShopPlace {
  dataDir: string;
  port: number;
  env: Record<string, string>;
}

/** kill -9, the database with all its processes. @returns the database that ran until now */
export async function kill(shop: ShopProcess, place: ShopPlace, target: Target): Promise<number[]> {
  const postmasters = postmastersOf(place.dataDir);
  if (postmasters.length === 0) throw new Error("no database process was found");
  if (target !== "app") {
    for (const pid of postmasters.flatMap((postmaster) => [postmaster, ...childrenOf(postmaster)])) end(pid);
  }
  if (target !== "database") await stopShop(shop, "SIGKILL");
  return postmasters;
}

/** Starts the shop again, or waits until it has brought its database back. @throws Error with the shop's output */
export async function bringBack(
  shop: ShopProcess,
  place: ShopPlace,
  killed: { target: Target; postmasters: readonly number[] },
): Promise<ShopProcess> {
  if (killed.target !== "database") return startShop(place);
  await untilDatabaseIsBack(shop, { dataDir: place.dataDir, before: killed.postmasters });
  return shop;
}

function end(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // It went with its parent.
  }
}
