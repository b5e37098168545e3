import { getCouponUsage } from "#core/coupons/manage-coupons.server.ts";
import { loadForDialog } from "../admin-routes.server.ts";
import { loadOrExplain } from "../dialogs/dialog-content.tsx";
import type { Route } from "./+types/coupon-usage";

const FAILED = "Failed to load the uses";

/** How often a coupon was used, and by whom. */
export function loader(args: Route.LoaderArgs) {
  return loadForDialog(args, getCouponUsage, FAILED);
}

export function clientLoader({ serverLoader }: Route.ClientLoaderArgs) {
  return loadOrExplain(serverLoader, FAILED);
}
