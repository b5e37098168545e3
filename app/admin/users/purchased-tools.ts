import type { Context } from "#core/context.ts";
import { listDevicesOfUser } from "#core/devices/manage-devices.server.ts";
import type { UntrustedInput } from "#core/parse.ts";
import { listAssignableTools } from "#core/passes/give-pass.server.ts";
import { listUserPurchases } from "#core/passes/list-purchases.server.ts";
import { readImportedOriginals } from "#core/vault/imported-originals.server.ts";
import { loadForDialog } from "../admin-routes.server.ts";
import { loadOrExplain } from "../dialogs/dialog-content.tsx";
import type { Route } from "./+types/purchased-tools";

const FAILED = "Failed to load user purchases";

export type PurchasedTools = Awaited<ReturnType<typeof readPurchasedTools>>;

/**
 * The purchases of a user, the tools that may be renewed by hand, the devices in which the user has connected the extension, and
 * what an old shop kept.
 */
export function loader(args: Route.LoaderArgs) {
  return loadForDialog(args, readPurchasedTools, FAILED);
}

async function readPurchasedTools(ctx: Context, input: UntrustedInput) {
  const [purchases, tools, devices] = await Promise.all([
    listUserPurchases(ctx, input),
    listAssignableTools(ctx, input),
    listDevicesOfUser(ctx, input),
  ]);
  const originals = await readImportedOriginals(ctx, { table: "users", id: String(input.userId) });
  return { purchases, tools, devices, originals };
}

export function clientLoader({ serverLoader }: Route.ClientLoaderArgs) {
  return loadOrExplain(serverLoader, FAILED);
}
