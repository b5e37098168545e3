import type { CouponUsage, ListedCoupon } from "#core/coupons/manage-coupons.server.ts";
import type { List } from "#core/paging.ts";
import { Button } from "../../ui/button.tsx";
import { ConfirmAction } from "../forms/confirm-action.tsx";
import { useOpened } from "../forms/use-opened.ts";
import { ListFilter, SearchBox } from "../lists/list-controls.tsx";
import { ListSection } from "../lists/list-section.tsx";
import { ListTable } from "../lists/list-table.tsx";
import { useListAddress } from "../lists/use-list-address.ts";
import { columnsOf } from "./coupon-columns.tsx";
import { CouponDialog } from "./coupon-dialog.tsx";
import { UsageDialog } from "./usage-dialog.tsx";

interface CouponsScreenProps {
  list: List<ListedCoupon>;
  /** By name. */
  tools: readonly { id: string; name: string }[];
  /** Of the coupon that the address names; null when there is none. */
  usage: CouponUsage | null;
  now: Date;
}

/** The tab 'Coupon Codes'. */
export function CouponsScreen({ list, tools, usage, now }: CouponsScreenProps) {
  const address = useListAddress();
  const form = useOpened<{ coupon: ListedCoupon | null }>();
  const deletion = useOpened<ListedCoupon>();
  const columns = columnsOf({
    address,
    now,
    onEdit: (coupon) => form.open({ coupon }),
    onDelete: deletion.open,
  });
  const isFiltered = address.get("q") !== "" || address.get("tool") !== "";
  return (
    <>
      <ListSection
        list={list}
        empty={{
          title: "No coupon codes found",
          text: isFiltered
            ? "Try adjusting your search or filter criteria."
            : "A coupon code takes a percentage off the price of one tool.",
        }}
        controls={
          <>
            <SearchBox placeholder="Search by code or tool name" />
            <ListFilter
              name="tool"
              label="Tool"
              options={[
                { value: "", label: "All Tools" },
                ...tools.map(({ id, name }) => ({ value: id, label: name })),
              ]}
            />
          </>
        }
        action={
          <Button variant="strong" onClick={() => form.open({ coupon: null })}>
            + Add Coupon Code
          </Button>
        }
      >
        <ListTable label="Coupon codes" columns={columns} rows={list.rows} rowId={({ id }) => id} />
      </ListSection>
      <CouponDialog form={form} tools={tools} rows={list.rows} />
      <UsageDialog usage={usage} />
      <ConfirmAction
        confirm={deletion}
        intent="delete"
        values={({ id }) => ({ id })}
        question={() => "Are you sure you want to delete this coupon code?"}
        confirmLabel="Delete Coupon Code"
      >
        {({ code, toolName }) => (
          <p>
            <strong className="break-all font-semibold">{code}</strong> for {toolName} can then no longer be
            used. Purchases made with it stay as they are.
          </p>
        )}
      </ConfirmAction>
    </>
  );
}
