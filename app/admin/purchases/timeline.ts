import type { Context } from "#core/context.ts";
import type { UntrustedInput } from "#core/parse.ts";
import { getPurchaseTimeline } from "#core/passes/get-purchase-timeline.server.ts";
import { listToolsToJoin } from "#core/passes/join-tool.server.ts";
import { readImportedOriginals } from "#core/vault/imported-originals.server.ts";
import { loadForDialog } from "../admin-routes.server.ts";
import { loadOrExplain } from "../dialogs/dialog-content.tsx";
import type { Route } from "./+types/timeline";

const FAILED = "Failed to load the purchase";

export type PurchaseDetails = Awaited<ReturnType<typeof readDetails>>;

/** Everything about one purchase, and the original documents of an imported one. */
export function loader(args: Route.LoaderArgs) {
  return loadForDialog(args, readDetails, FAILED);
}

async function readDetails(ctx: Context, input: UntrustedInput) {
  const timeline = await getPurchaseTimeline(ctx, input);
  const { id, source, toolId, endedReason } = timeline.purchase;
  const originals =
    source === "import" ? await readImportedOriginals(ctx, { table: "user_purchases", id }) : [];
  const mayJoin = source === "import" && toolId === null && endedReason === null;
  return { ...timeline, originals, toolsToJoin: mayJoin ? await listToolsToJoin(ctx) : [] };
}

export function clientLoader({ serverLoader }: Route.ClientLoaderArgs) {
  return loadOrExplain(serverLoader, FAILED);
}
