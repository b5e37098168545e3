import { describeCancellation } from "#core/payments/cancel-purchase.server.ts";
import { loadForDialog } from "../admin-routes.server.ts";
import { loadOrExplain } from "../dialogs/dialog-content.tsx";
import type { Route } from "./+types/cancellation";

const FAILED = "Failed to load the purchase";

/** What the cancellation of a purchase would do. */
export function loader(args: Route.LoaderArgs) {
  return loadForDialog(args, describeCancellation, FAILED);
}

export function clientLoader({ serverLoader }: Route.ClientLoaderArgs) {
  return loadOrExplain(serverLoader, FAILED);
}
