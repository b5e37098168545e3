import { useRouteLoaderData } from "react-router";
import type { SharedData } from "./shared-data.server.ts";

/** The data that every page shares: user, store, time. */
export function useShared(): SharedData {
  const shared = useSharedIfLoaded();
  if (shared === undefined) throw new Error("useShared is called outside a page: there is no shared data");
  return shared;
}

/** The same for the error page and the layout: undefined when it could not be read. */
export function useSharedIfLoaded(): SharedData | undefined {
  return useRouteLoaderData<SharedData>("shop-frame");
}
