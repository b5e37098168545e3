import { useRouteLoaderData } from "react-router";
import type { loader } from "./root.tsx";

/** What the root knows for every page: user, store, time. */
export function useShared() {
  const shared = useRouteLoaderData<typeof loader>("root");
  if (shared === undefined)
    throw new Error("The root's data is missing: this is rendered outside of a page.");
  return shared;
}
