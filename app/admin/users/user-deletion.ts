import { describeUserDeletion } from "#core/accounts/delete-account.server.ts";
import { loadForDialog } from "../admin-routes.server.ts";
import { loadOrExplain } from "../dialogs/dialog-content.tsx";
import type { Route } from "./+types/user-deletion";

const FAILED = "Failed to load what goes with the user";

/** What the deletion of a user would end. */
export function loader(args: Route.LoaderArgs) {
  return loadForDialog(args, describeUserDeletion, FAILED);
}

export function clientLoader({ serverLoader }: Route.ClientLoaderArgs) {
  return loadOrExplain(serverLoader, FAILED);
}
