import { listPurchases } from "#core/purchases/list-purchases.server.ts";
import { loadForAdmin } from "../lists/load-list.server.ts";
import type { Route } from "./+types/purchases";
import { PurchasesScreen } from "./purchases-screen.tsx";

export function loader(args: Route.LoaderArgs) {
  return loadForAdmin(args, listPurchases);
}

export default function Purchases({ loaderData }: Route.ComponentProps) {
  return loaderData === null ? null : <PurchasesScreen list={loaderData} />;
}
