import { saveStoreSettings } from "#core/catalog/store-editing/save-store-settings.server.ts";
import { adminAction } from "../forms/admin-action.server.ts";
import { callAdminAction } from "../forms/admin-result.ts";
import { ForAdmin } from "../lists/for-admin.tsx";
import { ListFailure } from "../lists/list-failure.tsx";
import { loadForAdmin } from "../lists/load-list.server.ts";
import type { Route } from "./+types/settings";
import { readSettingsView } from "./read-settings-view.server.ts";
import { SettingsScreen } from "./settings-screen.tsx";

export function loader(args: Route.LoaderArgs) {
  return loadForAdmin(args, readSettingsView);
}

export const action = adminAction({
  save: { run: saveStoreSettings, done: "Settings saved.", failed: "Failed to save the settings" },
});

export const clientAction = callAdminAction;

export function ErrorBoundary() {
  return <ListFailure message="Failed to fetch the settings" />;
}

export default function Settings({ loaderData }: Route.ComponentProps) {
  return <ForAdmin data={loaderData}>{(data) => <SettingsScreen {...data} />}</ForAdmin>;
}
