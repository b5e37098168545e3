import { getPurchaseTimeline } from "#core/passes/get-purchase-timeline.server.ts";
import { loadForDialog } from "../admin-routes.server.ts";
import { loadOrExplain } from "../dialogs/dialog-content.tsx";
import type { Route } from "./+types/timeline";

const FAILED = "Failed to load the purchase";

/** Everything about one purchase. */
export function loader(args: Route.LoaderArgs) {
  return loadForDialog(args, getPurchaseTimeline, FAILED);
}

export function clientLoader({ serverLoader }: Route.ClientLoaderArgs) {
  return loadOrExplain(serverLoader, FAILED);
}
