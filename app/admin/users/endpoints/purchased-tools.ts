import { listUserPurchases } from "#core/pass-management/list-user-purchases.server.ts";
import { loadOrExplain } from "../../dialogs/dialog-data.ts";
import { loadForDialog } from "../../dialogs/load-dialog.server.ts";
import type { Route } from "./+types/purchased-tools";

const FAILED = "Failed to load user purchases";

/** The purchases of a user. */
export function loader(args: Route.LoaderArgs) {
  return loadForDialog(args, listUserPurchases, FAILED);
}

export function clientLoader({ serverLoader }: Route.ClientLoaderArgs) {
  return loadOrExplain(serverLoader, FAILED);
}
