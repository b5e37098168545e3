import { listAssignableTools } from "#core/passes/give-pass.server.ts";
import { loadForDialog } from "../admin-routes.server.ts";
import { loadOrExplain } from "../dialogs/dialog-content.tsx";
import type { Route } from "./+types/assignable-tools";

const FAILED = "Failed to load tools";

/** The tools that the admin may assign to a user. */
export function loader(args: Route.LoaderArgs) {
  return loadForDialog(args, listAssignableTools, FAILED);
}

export function clientLoader({ serverLoader }: Route.ClientLoaderArgs) {
  return loadOrExplain(serverLoader, FAILED);
}
