import { listCoupons } from "#core/coupons/list-coupons.server.ts";
import { loadForAdmin } from "../lists/load-list.server.ts";
import type { Route } from "./+types/coupons";
import { CouponsScreen } from "./coupons-screen.tsx";

export function loader(args: Route.LoaderArgs) {
  return loadForAdmin(args, listCoupons);
}

export default function Coupons({ loaderData }: Route.ComponentProps) {
  return loaderData === null ? null : <CouponsScreen list={loaderData} />;
}
