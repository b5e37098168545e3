import Ban from "lucide-react/icons/ban";
import CalendarPlus from "lucide-react/icons/calendar-plus";
import Eye from "lucide-react/icons/eye";
import { formatPaise } from "#core/money.ts";
import type { List } from "#core/paging.ts";
import type { ListedPurchase } from "#core/passes/list-purchases.server.ts";
import { Money } from "../../ui/money.tsx";
import { useRowDialog } from "../dialogs/use-row-dialog.ts";
import { AdminDate } from "../lists/admin-date.tsx";
import { ListCheck, ListFilter, SearchBox } from "../lists/list-controls.tsx";
import { ListSection } from "../lists/list-section.tsx";
import { ListTable } from "../lists/list-table.tsx";
import { RowAction } from "../lists/row-action.tsx";
import { type ListColumn, sortable } from "../lists/sortable.tsx";
import { type ListAddress, useListAddress } from "../lists/use-list-address.ts";
import { canChangeExpiry, PurchaseStatus, TestBadge } from "../passes/purchase-status.tsx";
import { CancelDialog } from "./dialogs/cancel-dialog.tsx";
import { ExtendDialog } from "./dialogs/extend-dialog.tsx";
import { PurchaseDrawer } from "./dialogs/purchase-drawer.tsx";
import { SOURCE_NAMES } from "./purchase-words.ts";

const STATUSES = [
  { value: "", label: "All Status" },
  { value: "pending", label: "Pending" },
  { value: "completed", label: "Completed" },
  { value: "failed", label: "Failed" },
];

type PurchaseDialog = "view" | "extend" | "cancel";

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
          <PurchaseDrawer purchase={purchase} open={dialog.isOpen("view")} onClose={dialog.close} />
          <ExtendDialog purchase={purchase} open={dialog.isOpen("extend")} onClose={dialog.close} />
          <CancelDialog purchase={purchase} open={dialog.isOpen("cancel")} onClose={dialog.close} />
        </>
      )}
    </>
  );
}

function columnsOf(
  address: ListAddress,
  open: (name: PurchaseDialog, purchase: ListedPurchase) => void,
): ListColumn<ListedPurchase>[] {
  return [
    { id: "user", header: "User", cardLabel: null, cell: BuyerCell },
    { id: "tool", header: "Tool", cell: ToolCell },
    {
      id: "price",
      header: "Price",
      align: "end",
      cell: ({ amountPaise }) => <Money>{formatPaise(amountPaise)}</Money>,
    },
    { id: "status", header: "Status", cell: (purchase) => <PurchaseStatus {...purchase} /> },
    {
      id: "createdAt",
      ...sortable(address, { sort: "createdAt", label: "Purchase Date", isDefault: true }),
      cell: ({ createdAt }) => <AdminDate date={createdAt} />,
    },
    {
      id: "expiresAt",
      ...sortable(address, { sort: "expiresAt", label: "Expiry Date" }),
      cell: ExpiryCell,
    },
    {
      id: "actions",
      header: "Actions",
      cardLabel: null,
      cell: (purchase) => <PurchaseActions purchase={purchase} open={(name) => open(name, purchase)} />,
    },
  ];
}

function BuyerCell({ userEmail, userId }: ListedPurchase) {
  return (
    <div className="min-w-0">
      <p className="break-all font-medium">{userEmail}</p>
      <p className="break-all text-muted text-xs">{userId}</p>
    </div>
  );
}

function ToolCell({ toolName, testMode, source }: ListedPurchase) {
  return (
    <div className="flex min-w-0 flex-wrap items-center gap-x-2 gap-y-0.5">
      <span className="wrap-anywhere min-[720px]:min-w-24">{toolName}</span>
      {testMode ? <TestBadge /> : null}
      {source === "checkout" ? null : <span className="text-muted text-xs">{SOURCE_NAMES[source]}</span>}
    </div>
  );
}

function ExpiryCell({ accessEndsAt, isExpired }: ListedPurchase) {
  return (
    <span>
      <AdminDate date={accessEndsAt} missing="N/A" />
      {isExpired ? <span className="block text-muted text-xs">Expired</span> : null}
    </span>
  );
}

function PurchaseActions({
  purchase,
  open,
}: {
  purchase: ListedPurchase;
  open: (name: PurchaseDialog) => void;
}) {
  const target = `${purchase.toolName} of ${purchase.userEmail}`;
  return (
    <div className="flex flex-wrap gap-2 min-[720px]:-ml-2.5 min-[720px]:flex-nowrap min-[720px]:gap-0.5">
      <RowAction label="View" icon={Eye} target={target} onClick={() => open("view")} />
      <RowAction
        label="Extend"
        icon={CalendarPlus}
        target={target}
        unavailable={canChangeExpiry(purchase) ? null : "This purchase is not a pass that can be extended."}
        onClick={() => open("extend")}
      />
      <RowAction
        label="Cancel"
        icon={Ban}
        target={target}
        danger
        unavailable={purchase.endedReason === "refunded" ? "This purchase has been refunded." : null}
        onClick={() => open("cancel")}
      />
    </div>
  );
}
