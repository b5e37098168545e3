import { z } from "zod";
import { formatPaise } from "#core/money.ts";
import type { List } from "#core/paging.ts";
import { extendPurchase, setPurchaseExpiry } from "#core/passes/change-pass-times.server.ts";
import { joinTool } from "#core/passes/join-tool.server.ts";
import { type ListedPurchase, listPurchases } from "#core/passes/list-purchases.server.ts";
import { setImportedStatus } from "#core/passes/set-imported-status.server.ts";
import { cancelPurchase } from "#core/payments/cancel-purchase.server.ts";
import { revealImportedOriginal } from "#core/vault/imported-originals.server.ts";
import { adminAction, loadForAdmin } from "../admin-routes.server.ts";
import { useRowDialog } from "../dialogs/admin-dialog.tsx";
import { callAdminAction } from "../forms/admin-result.ts";
import { ForAdmin, ListFailure } from "../lists/for-admin.tsx";
import { ListCheck, ListFilter, ListSection, SearchBox } from "../lists/list-section.tsx";
import { ListTable } from "../lists/list-table.tsx";
import { useListAddress } from "../lists/use-list-address.ts";
import type { Route } from "./+types/route";
import { CancelDialog } from "./cancel-dialog.tsx";
import { ExtendDialog } from "./extend-dialog.tsx";
import { PurchaseDrawer } from "./purchase-drawer.tsx";
import { StatusDialog } from "./status-dialog.tsx";
import { columnsOf, type PurchaseDialog } from "./table.tsx";

export function loader(args: Route.LoaderArgs) {
  return loadForAdmin(args, listPurchases);
}

const EXPIRY = { done: "Expiry date updated.", failed: "Failed to update purchase expiry" };
const CANCEL_FAILED = "Failed to cancel purchase";

const cancelledSchema = z.object({
  refundedPaise: z.number(),
  alreadyEnded: z.enum(["refunded", "ended"]).nullable(),
});

/** Somebody else may have cancelled or refunded the purchase before. */
function describeCancelled(value: unknown, nothingRefunded: string): string {
  const { refundedPaise, alreadyEnded } = cancelledSchema.parse(value);
  if (alreadyEnded === "refunded") return "This purchase has already been refunded. Nothing was changed.";
  if (alreadyEnded === "ended") return "This purchase has already ended. Nothing was changed.";
  return refundedPaise > 0
    ? `Purchase cancelled. The refund of ${formatPaise(refundedPaise)} has started.`
    : nothingRefunded;
}

export const action = adminAction({
  extend: { run: extendPurchase, ...EXPIRY },
  "set-expiry": { run: setPurchaseExpiry, ...EXPIRY },
  "set-status": {
    run: setImportedStatus,
    done: "Status set.",
    failed: "Failed to set the status",
    refusals: {
      "already-owned": "This user already has a pass for this tool in the same period. End that pass first.",
      "pass-not-changeable": "This purchase has ended, so its status cannot be changed.",
    },
  },
  "join-tool": {
    run: joinTool,
    done: "Joined with the tool. The buyer can use it as long as the pass runs.",
    failed: "Failed to join the purchase with a tool",
    refusals: {
      "already-owned": "This user already has a pass for this tool in the same period. End that pass first.",
      "pass-not-changeable": "This purchase has a tool.",
    },
  },
  "reveal-original": {
    run: revealImportedOriginal,
    done: null,
    failed: "Failed to show the document",
  },
  "cancel-with-refund": {
    run: (ctx, input) => cancelPurchase(ctx, { ...input, refund: true }),
    done: (value) => describeCancelled(value, "Purchase cancelled. There was nothing left to refund."),
    failed: CANCEL_FAILED,
  },
  "cancel-without-refund": {
    run: (ctx, input) => cancelPurchase(ctx, { ...input, refund: false }),
    done: (value) => describeCancelled(value, "Purchase cancelled."),
    failed: CANCEL_FAILED,
  },
});

export const clientAction = callAdminAction;

export default function Purchases({ loaderData }: Route.ComponentProps) {
  return <ForAdmin data={loaderData}>{(list) => <PurchasesScreen list={list} />}</ForAdmin>;
}

export function ErrorBoundary() {
  return <ListFailure message="Failed to fetch purchases" />;
}

const STATUSES = [
  { value: "", label: "All Status" },
  { value: "pending", label: "Pending" },
  { value: "completed", label: "Completed" },
  { value: "failed", label: "Failed" },
];

/** The tab 'User Purchases'. */
export function PurchasesScreen({ list }: { list: List<ListedPurchase> }) {
  const address = useListAddress();
  const dialog = useRowDialog<PurchaseDialog, ListedPurchase>();
  const purchase = dialog.row;
  const isNarrowed = ["q", "status", "current"].some((name) => address.get(name) !== "");
  return (
    <>
      <ListSection
        list={list}
        empty={{
          title: "No purchases found",
          text: isNarrowed
            ? "Try adjusting your search or filter criteria."
            : "No user purchases have been made yet.",
        }}
        controls={
          <>
            <SearchBox placeholder="Search by user email, tool name, purchase, payment or order ID" />
            <ListFilter name="status" label="Status" options={STATUSES} />
            <ListCheck name="current" label="Hide ended and expired" />
          </>
        }
      >
        {isNarrowed ? null : (
          <p className="border-line border-b px-3 py-2 text-muted text-xs">
            Every purchase: completed, pending and failed, including ended and expired ones. Total Purchases
            above counts only completed ones.
          </p>
        )}
        <ListTable
          label="User purchases"
          columns={columnsOf(address, dialog.open)}
          rows={list.rows}
          rowId={({ id }) => id}
        />
      </ListSection>
      {purchase === null ? null : (
        <>
          <PurchaseDrawer
            purchase={purchase}
            open={dialog.isOpen("view")}
            onSetStatus={() => dialog.open("status", purchase)}
            onClose={dialog.close}
          />
          <StatusDialog purchase={purchase} open={dialog.isOpen("status")} onClose={dialog.close} />
          <ExtendDialog purchase={purchase} open={dialog.isOpen("extend")} onClose={dialog.close} />
          <CancelDialog purchase={purchase} open={dialog.isOpen("cancel")} onClose={dialog.close} />
        </>
      )}
    </>
  );
}
