import { useRouteLoaderData } from "react-router";
import type { RootData } from "./root-data.server.ts";

/** The data of the root loader, which every page shares: user, store, time. */
export function useShared(): RootData {
  const shared = useSharedIfLoaded();
  if (shared === undefined) throw new Error("useShared is called outside a page: there is no root data");
  return shared;
}

/** The same for the error page and the layout: undefined when the root loader failed. */
export function useSharedIfLoaded(): RootData | undefined {
  return useRouteLoaderData<RootData>("root");
}
