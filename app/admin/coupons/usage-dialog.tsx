import type { CouponUsage, ListedCoupon } from "#core/coupons/manage-coupons.server.ts";
import { formatPaise } from "#core/money.ts";
import { type Column, DataTable } from "../../ui/data-table.tsx";
import { ScrollRegion } from "../../ui/regions.tsx";
import { AdminDialog } from "../dialogs/admin-dialog.tsx";
import { DialogContent } from "../dialogs/dialog-content.tsx";
import type { Opened } from "../dialogs/opened.ts";
import { AdminDate } from "../lists/list-table.tsx";

type Use = CouponUsage["latest"][number];

const COLUMNS: Column<Use>[] = [
  {
    id: "user",
    header: "User",
    phone: "first",
    cell: ({ userEmail }) => <span className="break-all">{userEmail}</span>,
  },
  { id: "tool", header: "Tool", cell: ({ toolName }) => toolName },
  {
    id: "paid",
    header: "Paid",
    align: "end",
    phone: "first-end",
    cell: ({ amountPaise }) => formatPaise(amountPaise),
  },
  {
    id: "discount",
    header: "Discount",
    align: "end",
    phone: "second-end",
    cell: ({ discountPaise }) => (
      <span>
        <span className="text-muted min-[720px]:hidden">Discount </span>
        <span>{formatPaise(discountPaise)}</span>
      </span>
    ),
  },
  {
    id: "usedAt",
    header: "Used On",
    phone: "second",
    cell: ({ usedAt }) => <AdminDate date={usedAt} />,
  },
];

/** The latest uses of a coupon. */
export function UsageDialog({ opened: { isOpen, value, close } }: { opened: Opened<ListedCoupon> }) {
  return value === null ? null : (
    <AdminDialog open={isOpen} onClose={close} size="large" title={`Latest uses of ${value.code}`}>
      <DialogContent<CouponUsage>
        key={value.code}
        href={`/admin/coupons/${encodeURIComponent(value.code)}/usage`}
        open={isOpen}
        gone="Coupon not found"
      >
        {(usage) => <Uses {...usage} />}
      </DialogContent>
    </AdminDialog>
  );
}

function Uses({ timesUsed, importedUses, held, latest }: CouponUsage) {
  return (
    <div className="flex flex-col gap-3">
      <p className="text-muted text-sm">
        {`${summaryOf(timesUsed, importedUses, latest.length)}${held === 0 ? "" : ` ${held} more in open checkouts.`}`}
      </p>
      {latest.length === 0 ? null : (
        <ScrollRegion label="Uses">
          <DataTable
            label="Latest uses"
            columns={COLUMNS}
            rows={latest}
            rowId={({ purchaseId }) => purchaseId}
          />
        </ScrollRegion>
      )}
    </div>
  );
}

function summaryOf(timesUsed: number, importedUses: number, shown: number): string {
  if (timesUsed === 0) return "Not used yet.";
  const used = timesUsed === 1 ? "Used once" : `Used ${timesUsed} times`;
  const sentence = `${used}${inOldShop(timesUsed, importedUses)}.`;
  return shown > 0 && shown < timesUsed ? `${sentence} The latest ${shown}:` : sentence;
}

function inOldShop(timesUsed: number, importedUses: number): string {
  if (importedUses === 0) return "";
  const part = importedUses < timesUsed ? `${importedUses} of them ` : timesUsed === 1 ? "" : "all ";
  return `, ${part}in the old shop, which kept no list`;
}
