import { formatPaise } from "#core/money.ts";
import type { ListedPurchase, UserPurchase } from "#core/passes/list-purchases.server.ts";
import { Badge, type BadgeTone } from "../../ui/badge.tsx";

type Shown = Pick<UserPurchase, "status" | "endedReason">;

const STATUSES: Record<Shown["status"], { label: string; tone: BadgeTone }> = {
  completed: { label: "Completed", tone: "green" },
  // Imported purchases have this state; it means the same.
  active: { label: "Completed", tone: "green" },
  pending: { label: "Pending", tone: "yellow" },
  failed: { label: "Failed", tone: "red" },
};

/** How a purchase ended, by the reason. */
export const ENDED_LABELS = {
  refunded: "Refunded",
  cancelled: "Cancelled",
  deleted: "Deleted",
  "user-deleted": "Deleted",
  superseded: "Superseded",
  "charged-back": "Charged back",
};

/** The status of a purchase; how it ended, if it was ended. */
export function PurchaseStatus({ status, endedReason }: Shown) {
  if (endedReason === "superseded") return <Badge>{ENDED_LABELS[endedReason]}</Badge>;
  if (endedReason !== null) return <Badge tone="red">{ENDED_LABELS[endedReason]}</Badge>;
  const { label, tone } = STATUSES[status];
  return <Badge tone={tone}>{label}</Badge>;
}

/** What was paid, where it is not the price, and what of it the owner has refunded at the payment provider. */
export function PaidOtherwise({
  amountPaise,
  paidPaise,
  refundedPaise,
}: Pick<ListedPurchase, "amountPaise" | "paidPaise" | "refundedPaise">) {
  const lines = [
    paidPaise === null || paidPaise === amountPaise ? null : `${formatPaise(paidPaise)} paid`,
    refundedPaise === 0 ? null : `${formatPaise(refundedPaise)} refunded`,
  ];
  return lines.map((line) =>
    line === null ? null : (
      <span key={line} className="block whitespace-nowrap text-muted text-xs tabular-nums">
        {line}
      </span>
    ),
  );
}

/** Marks purchases in which no money moved. */
export function TestBadge() {
  return (
    <span title="Bought with test payments: no money moved">
      <Badge>Test</Badge>
    </span>
  );
}

/** Whether the end of a purchase can be changed: a pass that was not ended. */
export function canChangeExpiry({ status, endedReason }: Shown): boolean {
  return endedReason === null && (status === "completed" || status === "active");
}

/** Whether the status can be set by hand: of an imported purchase that was not ended. */
export function canSetStatus({ source, endedReason }: Pick<UserPurchase, "source" | "endedReason">): boolean {
  return source === "import" && endedReason === null;
}

const SOURCE_NAMES: Record<ListedPurchase["source"], string> = {
  checkout: "Bought",
  admin: "Assigned",
  giveaway: "Giveaway",
  import: "Imported",
};

/** How a purchase came about. A purchase of an admin has an amount when it was paid by hand. */
export function nameOfSource({ source, amountPaise }: Pick<ListedPurchase, "source" | "amountPaise">) {
  return source === "admin" && amountPaise > 0 ? "Sold by hand" : SOURCE_NAMES[source];
}
