import { Link } from "react-router";
import type { ListedCoupon } from "#core/coupons/manage-coupons.server.ts";
import { ActiveBadge } from "../../ui/badge.tsx";
import { formatCount } from "../format-count.ts";
import { AdminDate, type ListColumn, sortable } from "../lists/list-table.tsx";
import { RowActions } from "../lists/row-actions.tsx";
import { type ListAddress, OVER_LIST } from "../lists/use-list-address.ts";

export function columnsOf(options: {
  address: ListAddress;
  now: Date;
  onEdit: (coupon: ListedCoupon) => void;
  onDelete: (coupon: ListedCoupon) => void;
}): ListColumn<ListedCoupon>[] {
  const { address, now, onEdit, onDelete } = options;
  return [
    {
      id: "code",
      ...sortable(address, { sort: "code", label: "Code", first: "asc" }),
      phone: "first",
      cell: ({ code }) => <span className="break-all font-mono font-semibold">{code}</span>,
    },
    { id: "tool", header: "Tool", phone: "second", cell: ToolCell },
    {
      id: "discount",
      header: "Discount",
      phone: "first-end",
      align: "end",
      cell: ({ discountPercentage }) => `${discountPercentage}%`,
    },
    {
      id: "limit",
      header: "Usage Limit",
      align: "end",
      cell: ({ usageLimit }) => (usageLimit === null ? "Unlimited" : formatCount(usageLimit)),
    },
    {
      id: "used",
      header: "Times Used",
      phone: "second-end",
      align: "end",
      cell: (coupon) => <UsedCell coupon={coupon} address={address} />,
    },
    {
      id: "status",
      header: "Status",
      phone: "more",
      cell: ({ isActive }) => <ActiveBadge isActive={isActive} isShort />,
    },
    {
      id: "expiresAt",
      ...sortable(address, { sort: "expiresAt", label: "Expires At" }),
      cell: ({ expiresAt }) => (
        <span>
          <AdminDate date={expiresAt} missing="No expiry" />
          {expiresAt !== null && expiresAt <= now ? <span className="text-red text-xs"> Expired</span> : null}
        </span>
      ),
    },
    {
      id: "actions",
      header: "Actions",
      phone: "menu",
      className: "min-[720px]:w-px",
      cell: (coupon) => (
        <RowActions name={coupon.code} onEdit={() => onEdit(coupon)} onDelete={() => onDelete(coupon)} />
      ),
    },
  ];
}

function ToolCell({ toolName, toolIsDeleted }: ListedCoupon) {
  return (
    <span className="wrap-anywhere">
      <span>{toolName}</span>
      {toolIsDeleted ? <span className="text-muted"> (deleted)</span> : null}
    </span>
  );
}

/** The number opens the latest uses. */
function UsedCell({ coupon, address }: { coupon: ListedCoupon; address: ListAddress }) {
  const { code, timesUsed, timesHeld } = coupon;
  const held =
    timesHeld > 0 ? <span className="text-muted text-xs">{` + ${timesHeld} in checkout`}</span> : null;
  const label = <span className="text-muted text-xs min-[720px]:hidden">Used </span>;
  if (timesUsed === 0) {
    return (
      <span>
        {label}
        <span>0</span>
        {held}
      </span>
    );
  }
  return (
    <span>
      {label}
      <Link
        to={address.dialogHref("usage", coupon.id)}
        state={{ [OVER_LIST]: true }}
        preventScrollReset
        aria-label={`Latest uses of ${code}: ${formatCount(timesUsed)}`}
        title="Latest uses"
        className="inline-flex min-h-11 min-w-11 items-center justify-end text-accent max-[720px]:-my-2.5 underline underline-offset-4 min-[720px]:min-h-9"
      >
        {formatCount(timesUsed)}
      </Link>
      {held}
    </span>
  );
}
