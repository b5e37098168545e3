import { useState } from "react";
import { useNavigate } from "react-router";
import type { CouponUsage } from "#core/coupons/manage-coupons.server.ts";
import { formatPaise } from "#core/money.ts";
import { type Column, DataTable } from "../../ui/data-table.tsx";
import { Dialog } from "../../ui/dialogs/dialog.tsx";
import { ScrollRegion } from "../../ui/regions.tsx";
import { AdminDate } from "../lists/list-table.tsx";
import { useListAddress } from "../lists/use-list-address.ts";

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

/** The latest uses of the coupon that the address names. The back button closes it. */
export function UsageDialog({ usage }: { usage: CouponUsage | null }) {
  const address = useListAddress();
  const navigate = useNavigate();
  const code = address.get("usage");
  // What was shown stays while the dialog closes.
  const [shown, setShown] = useState({ code, usage });
  if (code !== "" && (shown.code !== code || shown.usage !== usage)) setShown({ code, usage });
  const close = () =>
    void navigate(address.hrefWith({ usage: "", page: address.get("page") }), {
      replace: true,
      preventScrollReset: true,
    });
  return (
    <Dialog
      open={code !== ""}
      onOpenChange={(open) => !open && close()}
      size="large"
      title={`Latest uses of ${shown.code}`}
    >
      <Uses usage={shown.usage} />
    </Dialog>
  );
}

function Uses({ usage }: { usage: CouponUsage | null }) {
  if (usage === null) return <p className="text-muted">Coupon not found</p>;
  const { timesUsed, importedUses, held, latest } = usage;
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
