import Ban from "lucide-react/icons/ban";
import CalendarPlus from "lucide-react/icons/calendar-plus";
import Eye from "lucide-react/icons/eye";
import ListChecks from "lucide-react/icons/list-checks";
import MessageCircle from "lucide-react/icons/message-circle";
import { formatPaise } from "#core/money.ts";
import type { ListedPurchase } from "#core/passes/list-purchases.server.ts";
import { formatEnd } from "#core/time.ts";
import { Badge } from "../../ui/badge.tsx";
import { Money, VisuallyHidden } from "../../ui/text.tsx";
import { useShared } from "../../use-shared.ts";
import { AdminDate, type ListColumn, sortable } from "../lists/list-table.tsx";
import { ActionsOfRow, RowAction } from "../lists/row-actions.tsx";
import type { ListAddress } from "../lists/use-list-address.ts";
import {
  canChangeExpiry,
  canSetStatus,
  nameOfSource,
  PaidOtherwise,
  PurchaseStatus,
  TestBadge,
} from "./purchase-status.tsx";

export const PURCHASE_DIALOGS = ["view", "extend", "status", "cancel"] as const;

type PurchaseDialog = (typeof PURCHASE_DIALOGS)[number];

export function columnsOf(
  address: ListAddress,
  open: (name: PurchaseDialog, purchase: ListedPurchase) => void,
  /** The list shows passes that end soon. */
  areEnding: boolean,
): ListColumn<ListedPurchase>[] {
  return [
    { id: "user", header: "User", phone: "first", cell: BuyerCell },
    { id: "tool", header: "Tool", phone: "second", cell: ToolCell },
    {
      id: "price",
      header: "Price",
      phone: "first-end",
      align: "end",
      cell: (purchase) => (
        <span>
          <Money>{formatPaise(purchase.amountPaise)}</Money>
          <PaidOtherwise {...purchase} />
        </span>
      ),
    },
    {
      id: "status",
      header: "Status",
      phone: areEnding ? "more" : "second-end",
      cell: (purchase) => <PurchaseStatus {...purchase} />,
    },
    {
      id: "createdAt",
      ...(areEnding
        ? { header: "Purchase Date" }
        : sortable(address, { sort: "createdAt", label: "Purchase Date", isDefault: true })),
      cell: ({ createdAt }) => <AdminDate date={createdAt} withTime />,
    },
    {
      id: "expiresAt",
      ...(areEnding
        ? sortable(address, { sort: "expiresAt", label: "Expiry Date", isDefault: true, first: "asc" })
        : sortable(address, { sort: "expiresAt", label: "Expiry Date" })),
      ...(areEnding && { phone: "second-end" }),
      cell: ExpiryCell,
    },
    {
      id: "actions",
      header: "Actions",
      phone: "menu",
      cell: (purchase) => (
        <PurchaseActions purchase={purchase} isEnding={areEnding} open={(name) => open(name, purchase)} />
      ),
    },
  ];
}

function BuyerCell({ userEmail, userId, isSimilar }: ListedPurchase) {
  return (
    <div className="min-w-0">
      <p title={userEmail} className="break-all font-medium max-[720px]:truncate">
        <span>{`${userEmail} `}</span>
        {isSimilar ? <Badge>similar</Badge> : null}
      </p>
      <p title={userId} className="max-w-56 truncate text-muted text-xs max-[720px]:hidden">
        {userId}
      </p>
    </div>
  );
}

function ToolCell(purchase: ListedPurchase) {
  const { orderNumber, toolName, testMode, source } = purchase;
  return (
    <div className="flex min-w-0 flex-wrap items-center gap-x-2 gap-y-0.5 max-[720px]:flex-nowrap">
      <span
        title={toolName}
        className="wrap-anywhere max-[720px]:min-w-12 max-[720px]:truncate min-[720px]:min-w-24"
      >
        {toolName}
      </span>
      {testMode ? (
        <span className="max-[720px]:hidden">
          <TestBadge />
        </span>
      ) : null}
      {source === "checkout" ? null : (
        <span className="text-muted text-xs max-[720px]:hidden">{nameOfSource(purchase)}</span>
      )}
      <p className="shrink-0 text-muted text-xs min-[720px]:w-full">
        <VisuallyHidden>Order number </VisuallyHidden>
        <code className="font-mono">{orderNumber}</code>
      </p>
    </div>
  );
}

function ExpiryCell({ accessEndsAt, isExpired, waitsUntil }: ListedPurchase) {
  return (
    <span>
      <AdminDate date={accessEndsAt} missing="N/A" withTime />
      {isExpired ? <span className="block text-muted text-xs">Expired</span> : null}
      {waitsUntil === null ? null : (
        <span className="block text-muted text-xs">
          <span>Starts </span>
          <AdminDate date={waitsUntil} />
        </span>
      )}
    </span>
  );
}

const UNCANCELLABLE: ReadonlyMap<string, string> = new Map([
  ["refunded", "This purchase has been refunded."],
  ["charged-back", "The bank has taken the payment of this purchase back."],
]);

function PurchaseActions({
  purchase,
  isEnding,
  open,
}: {
  purchase: ListedPurchase;
  isEnding: boolean;
  open: (name: PurchaseDialog) => void;
}) {
  const { store, origin, timeZone } = useShared();
  const { expiresAt, toolName } = purchase;
  const text =
    isEnding && expiresAt !== null
      ? `Your pass for ${toolName} at ${store.name} ends on ${formatEnd(expiresAt, timeZone)}. You can renew it here: ${origin}/dashboard`
      : null;
  const target = `${purchase.toolName} of ${purchase.userEmail}`;
  return (
    <ActionsOfRow name={target}>
      {text === null ? null : (
        <RowAction
          label="WhatsApp"
          icon={MessageCircle}
          target={target}
          onClick={() => window.open(`https://wa.me/?${new URLSearchParams({ text })}`, "_blank", "noopener")}
        />
      )}
      <RowAction label="View" icon={Eye} target={target} onClick={() => open("view")} />
      <RowAction
        label="Extend"
        icon={CalendarPlus}
        target={target}
        unavailable={canChangeExpiry(purchase) ? null : "This purchase is not a pass that can be extended."}
        onClick={() => open("extend")}
      />
      {purchase.source === "import" ? (
        <RowAction
          label="Set Status"
          icon={ListChecks}
          target={target}
          unavailable={
            canSetStatus(purchase) ? null : "This purchase has ended, so its status cannot be changed."
          }
          onClick={() => open("status")}
        />
      ) : null}
      <RowAction
        label="Cancel"
        icon={Ban}
        target={target}
        danger
        unavailable={purchase.endedReason === null ? null : (UNCANCELLABLE.get(purchase.endedReason) ?? null)}
        onClick={() => open("cancel")}
      />
    </ActionsOfRow>
  );
}
