import { readMail } from "#core/mail/manage-outbox.server.ts";
import { loadForDialog } from "../admin-routes.server.ts";
import { loadOrExplain } from "../dialogs/dialog-content.tsx";
import type { Route } from "./+types/mail-text";

const FAILED = "Failed to load the email";

/** The text of one mail. */
export function loader(args: Route.LoaderArgs) {
  return loadForDialog(args, readMail, FAILED);
}

export function clientLoader({ serverLoader }: Route.ClientLoaderArgs) {
  return loadOrExplain(serverLoader, FAILED);
}
