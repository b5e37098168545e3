import { z } from "zod";
import { formatPaise } from "#core/money.ts";
import { extendPurchase, setPurchaseExpiry } from "#core/passes/change-pass-times.server.ts";
import { joinTool } from "#core/passes/join-tool.server.ts";
import { listPurchases, type PurchaseList } from "#core/passes/list-purchases.server.ts";
import { setImportedStatus } from "#core/passes/set-imported-status.server.ts";
import { askGateway } from "#core/payments/ask-gateway.server.ts";
import { cancelPurchase } from "#core/payments/cancel-purchase.server.ts";
import { recordPayout } from "#core/payments/credits.server.ts";
import { revealImportedOriginal } from "#core/vault/imported-originals.server.ts";
import { DateTime } from "../../time/date-time.tsx";
import { Banner } from "../../ui/banner.tsx";
import { Button } from "../../ui/button.tsx";
import { LiveRegion } from "../../ui/text.tsx";
import { useCopy } from "../../ui/use-copy.ts";
import { adminAction, loadForAdmin } from "../admin-routes.server.ts";
import { revalidateList, useDialogs } from "../dialogs/use-dialogs.ts";
import { formatCount } from "../format-count.ts";
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
import { columnsOf, PURCHASE_DIALOGS } from "./table.tsx";

export function loader(args: Route.LoaderArgs) {
  return loadForAdmin(args, listPurchases);
}

export const shouldRevalidate = revalidateList;

const paidOutSchema = z.object({ amountPaise: z.number() });

const EXPIRY = { done: "Expiry date updated.", failed: "Failed to update purchase expiry" };
const CANCEL_FAILED = "Failed to cancel purchase";

const cancelledSchema = z.object({
  refundedPaise: z.number(),
  byHand: z.boolean(),
  alreadyEnded: z.enum(["refunded", "ended"]).nullable(),
});

/** Somebody else may have cancelled or refunded the purchase before. */
function describeCancelled(value: unknown, nothingRefunded: string): string {
  const { refundedPaise, byHand, alreadyEnded } = cancelledSchema.parse(value);
  if (alreadyEnded === "refunded") return "This purchase has already been refunded. Nothing was changed.";
  if (alreadyEnded === "ended") return "This purchase has already ended. Nothing was changed.";
  if (refundedPaise === 0) return nothingRefunded;
  const amount = formatPaise(refundedPaise);
  return byHand
    ? `Purchase cancelled. Give ${amount} back yourself, then enter how in Overview.`
    : `Purchase cancelled. The refund of ${amount} has started.`;
}

const askedSchema = z.object({
  result: z.enum(["pass", "refunded", "waiting", "unknown-order", "unavailable", "error"]),
});

const ANSWERS: Record<z.output<typeof askedSchema>["result"], string> = {
  pass: "It was paid, and the payment is recorded.",
  refunded: "It was paid, and the payment is refunded or its pass has ended. See the timeline.",
  waiting: "No received payment. If the buyer has paid, the bank has not confirmed it yet.",
  "unknown-order": "This order was made with other keys, so it cannot be asked about.",
  unavailable: "The payment provider did not answer. Try again in a minute.",
  error: "The payment provider refused to answer. The Health page says more.",
};

export const action = adminAction({
  "ask-gateway": {
    run: askGateway,
    done: (value) => ANSWERS[askedSchema.parse(value).result],
    failed: "Failed to ask the payment provider",
  },
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
  "record-payout": {
    run: recordPayout,
    done: (value) => `Recorded: ${formatPaise(paidOutSchema.parse(value).amountPaise)} given back.`,
    failed: "Failed to record it",
    refusals: { "shop-not-confirmed": "First confirm that this is now the shop." },
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
  { value: "running", label: "Running" },
  { value: "pending", label: "Pending" },
  { value: "completed", label: "Completed" },
  { value: "failed", label: "Failed" },
];

/** Copies the addresses of all whose passes end soon, for a mail of the owner's own. */
function CopyAddresses({ addresses }: { addresses: readonly string[] }) {
  const { state, copy } = useCopy(addresses.join(", "));
  const counted = addresses.length === 1 ? "1 Address" : `${formatCount(addresses.length)} Addresses`;
  return (
    <>
      <Button onClick={() => void copy()}>{state === "copied" ? "Copied!" : `Copy ${counted}`}</Button>
      <LiveRegion message={COPY_RESULTS[state]} />
    </>
  );
}

const COPY_RESULTS = {
  idle: "",
  copied: "The addresses were copied",
  refused: "Your browser doesn’t allow copying.",
};

/** Only passes that are not renewed. */
const ENDS = [
  { value: "", label: "Any end" },
  { value: "1", label: "Ends within 1 day" },
  ...["3", "7", "14"].map((days) => ({ value: days, label: `Ends within ${days} days` })),
];

/** What became of a payment that the backup does not have. An assigned one is found as a purchase. */
const UNKNOWN_PAYMENTS: Record<PurchaseList["unknownPayments"][number]["state"], string> = {
  waiting: "Assign it with “Paid by hand…”, or refund it, in Overview.",
  refunding: "It is being refunded.",
  refunded: "It was refunded.",
  assigned: "It was assigned.",
  "charged-back": "The buyer’s bank has taken it back.",
};

/** The tab 'User Purchases'. */
export function PurchasesScreen({ list }: { list: PurchaseList }) {
  const address = useListAddress();
  const dialog = useDialogs(PURCHASE_DIALOGS, list);
  const purchase = dialog.row;
  const isNarrowed = ["q", "status", "current", "ends"].some((name) => address.get(name) !== "");
  const isSimilar = list.rows.some((row) => row.isSimilar);
  return (
    <>
      {list.unknownPayments.map(({ gatewayPaymentId, amountPaise, paidAt, state }) => (
        <Banner key={gatewayPaymentId} tone="warning">
          <span className="wrap-anywhere">
            <span>{`${formatPaise(amountPaise)}, paid `}</span>
            <DateTime date={paidAt} />
            <span>{`, ${gatewayPaymentId}: this payment is missing from the backup. ${UNKNOWN_PAYMENTS[state]}`}</span>
          </span>
        </Banner>
      ))}
      <ListSection
        list={list}
        bulk={["extend-purchases", "cancel-purchases"]}
        empty={{
          title: "No purchases found",
          text: isNarrowed
            ? "Try adjusting your search or filter criteria. Phone numbers, UTRs and UPI addresses are found whole only, IDs from 8 characters on."
            : "No user purchases have been made yet.",
        }}
        search={<SearchBox placeholder="Search by email, tool, ID, phone, UTR, UPI or amount" />}
        filters={
          <>
            <ListFilter name="status" label="Status" options={STATUSES} />
            <ListFilter name="ends" label="Ends" options={ENDS} />
            <ListCheck name="current" label="Hide ended and expired" />
          </>
        }
        action={
          list.addresses === null || list.addresses.length === 0 ? null : (
            <CopyAddresses addresses={list.addresses} />
          )
        }
      >
        {isSimilar ? (
          <p className="border-line border-b px-3 py-2 text-muted text-xs">
            No purchase matches exactly. These are of similar email addresses.
          </p>
        ) : null}
        {list.addresses === null ? null : (
          <p className="border-line border-b px-3 py-2 text-muted text-xs">
            Active passes that are not renewed, the first to end first. The WhatsApp message names the pass
            and the way to renew it; you choose whom to send it to.
          </p>
        )}
        {isNarrowed ? null : (
          <p className="border-line border-b px-3 py-2 text-muted text-xs max-[720px]:hidden">
            Every purchase: completed, pending and failed, including ended and expired ones. Total Purchases
            above counts only completed ones.
          </p>
        )}
        <ListTable
          label="User purchases"
          columns={columnsOf(address, dialog.open, list.addresses !== null)}
          rows={list.rows}
          rowId={({ id }) => id}
          rowName={({ toolName, userEmail }) => `${toolName} of ${userEmail}`}
          onPress={(row) => dialog.open("view", row)}
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
