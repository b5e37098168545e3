import { previewTemplate } from "#core/mail/manage-outbox.server.ts";
import { loadForDialog } from "../admin-routes.server.ts";
import { loadOrExplain } from "../dialogs/dialog-content.tsx";
import type { Route } from "./+types/example";

const FAILED = "Failed to load the preview";

/** A mail of one kind with facts that are made up. */
export function loader(args: Route.LoaderArgs) {
  return loadForDialog(args, previewTemplate, FAILED);
}

export function clientLoader({ serverLoader }: Route.ClientLoaderArgs) {
  return loadOrExplain(serverLoader, FAILED);
}
