import { listToolChoices } from "#core/catalog/list-tools-for-admin.server.ts";
import {
  createCoupon,
  deleteCoupon,
  type ListedCoupon,
  listCoupons,
  updateCoupon,
} from "#core/coupons/manage-coupons.server.ts";
import type { List } from "#core/lists/paging.ts";
import { Button } from "../../ui/button.tsx";
import { adminAction, loadForAdmin } from "../admin-routes.server.ts";
import { revalidateList, useDialogs } from "../dialogs/use-dialogs.ts";
import { ConfirmAction } from "../forms/admin-action.tsx";
import { callAdminAction } from "../forms/admin-result.ts";
import { ForAdmin, ListFailure } from "../lists/for-admin.tsx";
import { ListFilter, ListSection, SearchBox } from "../lists/list-section.tsx";
import { ListTable } from "../lists/list-table.tsx";
import { useListAddress } from "../lists/use-list-address.ts";
import type { Route } from "./+types/route";
import { CouponDialog } from "./coupon-dialog.tsx";
import { columnsOf } from "./table.tsx";
import { UsageDialog } from "./usage-dialog.tsx";

export function loader(args: Route.LoaderArgs) {
  return loadForAdmin(args, async (ctx, input) => {
    const [list, tools] = await Promise.all([listCoupons(ctx, input), listToolChoices(ctx)]);
    return {
      list,
      tools: tools.map(({ id, name, contactOnly }) => ({ id, name, contactOnly })),
      now: ctx.clock.now(),
    };
  });
}

export const shouldRevalidate = revalidateList;

export const action = adminAction({
  create: {
    run: createCoupon,
    done: "Coupon code created successfully!",
    failed: "Failed to create coupon code",
  },
  update: {
    run: updateCoupon,
    done: "Coupon code updated successfully!",
    failed: "Failed to update coupon code",
  },
  delete: {
    run: deleteCoupon,
    done: "Coupon code deleted successfully!",
    failed: "Failed to delete coupon code",
  },
});

export const clientAction = callAdminAction;

export default function Coupons({ loaderData }: Route.ComponentProps) {
  return <ForAdmin data={loaderData}>{(data) => <CouponsScreen {...data} />}</ForAdmin>;
}

export function ErrorBoundary() {
  return <ListFailure message="Failed to fetch coupons" />;
}

interface CouponsScreenProps {
  list: List<ListedCoupon>;
  /** By name. */
  tools: readonly { id: string; name: string; contactOnly: boolean }[];
  now: Date;
}

/** The tab 'Coupon Codes'. */
function CouponsScreen({ list, tools, now }: CouponsScreenProps) {
  const address = useListAddress();
  const dialogs = useDialogs(["add", "edit", "delete", "usage"], list);
  const form = dialogs.of("edit", "add");
  const deletion = dialogs.of("delete");
  const columns = columnsOf({
    address,
    now,
    onEdit: form.open,
    onDelete: deletion.open,
  });
  const isFiltered = address.get("q") !== "" || address.get("tool") !== "";
  return (
    <>
      <ListSection
        list={list}
        bulk={["activate-coupons", "deactivate-coupons", "delete-coupons"]}
        empty={{
          title: "No coupon codes found",
          text: isFiltered
            ? "Try adjusting your search or filter criteria."
            : "A coupon code takes a percentage off the price of one tool.",
        }}
        search={<SearchBox placeholder="Search by code or tool name" />}
        filters={
          <ListFilter
            name="tool"
            label="Tool"
            options={[
              { value: "", label: "All Tools" },
              ...tools.map(({ id, name }) => ({ value: id, label: name })),
            ]}
          />
        }
        action={
          <Button variant="strong" onClick={() => form.open(null)}>
            + Add Coupon Code
          </Button>
        }
      >
        <ListTable
          label="Coupon codes"
          columns={columns}
          rows={list.rows}
          rowId={({ id }) => id}
          rowName={({ code }) => code}
          onPress={form.open}
        />
      </ListSection>
      <CouponDialog form={form} tools={tools} />
      <UsageDialog opened={dialogs.of("usage")} />
      <ConfirmAction
        confirm={deletion}
        intent="delete"
        values={({ id }) => ({ id })}
        question={() => "Are you sure you want to delete this coupon code?"}
        confirmLabel="Delete Coupon Code"
      >
        {({ code, toolName }) => (
          <p>
            <strong className="break-all font-semibold">{code}</strong>
            <span>{` for ${toolName} can then no longer be used. Purchases made with it stay as they are.`}</span>
          </p>
        )}
      </ConfirmAction>
    </>
  );
}
