import { listToolsForAdmin } from "#core/catalog/list-tools-for-admin.server.ts";
import { loadForAdmin } from "../lists/load-list.server.ts";
import type { Route } from "./+types/tools";
import { ToolsScreen } from "./tools-screen.tsx";

export function loader(args: Route.LoaderArgs) {
  return loadForAdmin(args, listToolsForAdmin);
}

export default function Tools({ loaderData }: Route.ComponentProps) {
  return loaderData === null ? null : <ToolsScreen list={loaderData} />;
}
