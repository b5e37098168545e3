import {
  countBulkAction,
  describeBulkAction,
  startBulkAction,
  stopBulkAction,
} from "#core/bulk-actions/bulk-actions.server.ts";
import { OWN_REASONS } from "#core/bulk-actions/bulk-actions.ts";
import type { ErrorCode } from "#core/errors.ts";
import { messageForCode } from "../../errors/error-messages.ts";
import { adminAction, loadForDialog } from "../admin-routes.server.ts";
import { loadOrExplain } from "../dialogs/dialog-content.tsx";
import { callAdminAction } from "../forms/admin-result.ts";
import type { Route } from "./+types/bulk-action";

const FAILED = "Failed to load the bulk action";

/** A bulk action with what became of its rows. */
export function loader(args: Route.LoaderArgs) {
  return loadForDialog(
    args,
    async (ctx, input) => {
      const { named, ...view } = await describeBulkAction(ctx, input);
      return { ...view, named: named.map((row) => ({ ...row, reason: row.reason && textOf(row.reason) })) };
    },
    FAILED,
  );
}

export type LoadedBulkAction = Extract<Awaited<ReturnType<typeof loader>>["data"], { ok: true }>["value"];

export function clientLoader({ serverLoader }: Route.ClientLoaderArgs) {
  return loadOrExplain<LoadedBulkAction>(serverLoader, FAILED);
}

/** Refusals whose general message is for the form of a single row. */
const REFUSALS: Readonly<Record<string, string>> = {
  ...OWN_REASONS,
  forbidden: "The account of an admin",
  "invalid-input": "The date is before the pass began",
};

const textOf = (reason: string): string => REFUSALS[reason] ?? messageForCode(reason as ErrorCode);

export const action = adminAction({
  count: { run: countBulkAction, done: null, failed: "Failed to choose the rows" },
  start: { run: startBulkAction, done: null, failed: "Failed to start" },
  stop: { run: stopBulkAction, done: null, failed: "Failed to stop" },
});

export const clientAction = callAdminAction;
