import { listToolChoices } from "#core/catalog/list-tools-for-admin.server.ts";
import type { Context } from "#core/context.ts";
import {
  type CouponUsage,
  createCoupon,
  deleteCoupon,
  getCouponUsage,
  type ListedCoupon,
  listCoupons,
  updateCoupon,
} from "#core/coupons/manage-coupons.server.ts";
import { isDomainError } from "#core/errors.ts";
import type { List } from "#core/lists/paging.ts";
import { Button } from "../../ui/button.tsx";
import { adminAction, loadForAdmin } from "../admin-routes.server.ts";
import { useOpened } from "../dialogs/admin-dialog.tsx";
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

/** The parameter `usage` of the address is the code of the coupon whose uses are shown. */
export function loader(args: Route.LoaderArgs) {
  return loadForAdmin(args, async (ctx, input) => {
    const [list, tools, usage] = await Promise.all([
      listCoupons(ctx, input),
      listToolChoices(ctx),
      typeof input.usage === "string" ? readUsage(ctx, input.usage) : null,
    ]);
    return {
      list,
      tools: tools.map(({ id, name, contactOnly }) => ({ id, name, contactOnly })),
      usage,
      now: ctx.clock.now(),
    };
  });
}

/** @returns null when no coupon has the code */
async function readUsage(ctx: Context, code: string): Promise<CouponUsage | null> {
  try {
    return await getCouponUsage(ctx, { code });
  } catch (error) {
    if (isDomainError(error, "coupon-missing") || isDomainError(error, "invalid-input")) return null;
    throw error;
  }
}

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
  /** The uses of the coupon that the address names; null when there is none. */
  usage: CouponUsage | null;
  now: Date;
}

/** The tab 'Coupon Codes'. */
function CouponsScreen({ list, tools, usage, now }: CouponsScreenProps) {
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
          <Button variant="strong" onClick={() => form.open({ coupon: null })}>
            + Add Coupon Code
          </Button>
        }
      >
        <ListTable
          label="Coupon codes"
          columns={columns}
          rows={list.rows}
          rowId={({ id }) => id}
          onPress={(coupon) => form.open({ coupon })}
        />
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
            <strong className="break-all font-semibold">{code}</strong>
            <span>{` for ${toolName} can then no longer be used. Purchases made with it stay as they are.`}</span>
          </p>
        )}
      </ConfirmAction>
    </>
  );
}
