import { listWaitingBuyers } from "#core/stock-alerts/stock-alerts.server.ts";
import { loadForDialog } from "../admin-routes.server.ts";
import { loadOrExplain } from "../dialogs/dialog-content.tsx";
import type { Route } from "./+types/waiting-buyers";

const FAILED = "Failed to load the waiting buyers";

/** Who wants to be told when a tool is in stock again. */
export function loader(args: Route.LoaderArgs) {
  return loadForDialog(args, listWaitingBuyers, FAILED);
}

export function clientLoader({ serverLoader }: Route.ClientLoaderArgs) {
  return loadOrExplain(serverLoader, FAILED);
}
