import { listToolChoices } from "#core/catalog/list-tool-choices.server.ts";
import type { Context } from "#core/context.ts";
import {
  type CouponUsage,
  createCoupon,
  deleteCoupon,
  getCouponUsage,
  listCoupons,
  updateCoupon,
} from "#core/coupons/manage-coupons.server.ts";
import { isDomainError } from "#core/errors.ts";
import { adminAction } from "../forms/admin-action.server.ts";
import { callAdminAction } from "../forms/admin-result.ts";
import { ForAdmin } from "../lists/for-admin.tsx";
import { ListFailure } from "../lists/list-failure.tsx";
import { loadForAdmin } from "../lists/load-list.server.ts";
import type { Route } from "./+types/coupons";
import { CouponsScreen } from "./coupons-screen.tsx";

/** The parameter `usage` of the address is the code of the coupon whose uses are shown. */
export function loader(args: Route.LoaderArgs) {
  return loadForAdmin(args, async (ctx, input) => {
    const [list, tools, usage] = await Promise.all([
      listCoupons(ctx, input),
      listToolChoices(ctx),
      typeof input.usage === "string" ? readUsage(ctx, input.usage) : null,
    ]);
    return { list, tools: tools.map(({ id, name }) => ({ id, name })), usage, now: ctx.clock.now() };
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
