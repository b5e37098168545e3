import { z } from "zod";
import { formatPaise } from "#core/money.ts";
import { extendPurchase, setPurchaseExpiry } from "#core/passes/change-pass-times.server.ts";
import { listPurchases } from "#core/passes/list-purchases.server.ts";
import { cancelPurchase } from "#core/payments/cancel-purchase.server.ts";
import { adminAction } from "../forms/admin-action.server.ts";
import { callAdminAction } from "../forms/admin-result.ts";
import { ForAdmin } from "../lists/for-admin.tsx";
import { ListFailure } from "../lists/list-failure.tsx";
import { loadForAdmin } from "../lists/load-list.server.ts";
import type { Route } from "./+types/purchases";
import { PurchasesScreen } from "./purchases-screen.tsx";

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
