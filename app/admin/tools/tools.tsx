import { listToolChoices } from "#core/catalog/list-tool-choices.server.ts";
import { listToolsForAdmin } from "#core/catalog/list-tools-for-admin.server.ts";
import { createTool } from "#core/catalog/tool-editing/create-tool.server.ts";
import { deleteTool } from "#core/catalog/tool-editing/delete-tool.server.ts";
import { sellWhenNotReady } from "#core/catalog/tool-editing/sell-when-not-ready.server.ts";
import { updateTool } from "#core/catalog/tool-editing/update-tool.server.ts";
import { listCredentialChoices } from "#core/credentials/manage-credentials.server.ts";
import { adminAction } from "../forms/admin-action.server.ts";
import { callAdminAction } from "../forms/admin-result.ts";
import { ForAdmin } from "../lists/for-admin.tsx";
import { ListFailure } from "../lists/list-failure.tsx";
import { loadForAdmin } from "../lists/load-list.server.ts";
import type { Route } from "./+types/tools";
import { ToolsScreen } from "./tools-screen.tsx";

export function loader(args: Route.LoaderArgs) {
  return loadForAdmin(args, async (ctx, input) => {
    const [list, choices, credentials] = await Promise.all([
      listToolsForAdmin(ctx, input),
      listToolChoices(ctx),
      listCredentialChoices(ctx),
    ]);
    return { list, tools: choices.map(({ id, name }) => ({ id, name })), credentials };
  });
}

export const action = adminAction({
  create: { run: createTool, done: "Tool added.", failed: "Failed to add tool" },
  update: { run: updateTool, done: "Tool updated.", failed: "Failed to update tool" },
  "sell-when-not-ready": { run: sellWhenNotReady, done: "Tool updated.", failed: "Failed to update tool" },
  delete: { run: deleteTool, done: "Tool deleted.", failed: "Failed to delete tool" },
});

export const clientAction = callAdminAction;

export default function Tools({ loaderData }: Route.ComponentProps) {
  return <ForAdmin data={loaderData}>{(data) => <ToolsScreen {...data} />}</ForAdmin>;
}

export function ErrorBoundary() {
  return <ListFailure message="Failed to fetch tools" />;
}
