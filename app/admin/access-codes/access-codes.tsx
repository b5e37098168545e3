import { listAccessCodes } from "#core/access-codes/list-access-codes.server.ts";
import { loadForAdmin } from "../lists/load-list.server.ts";
import type { Route } from "./+types/access-codes";
import { AccessCodesScreen } from "./access-codes-screen.tsx";

export function loader(args: Route.LoaderArgs) {
  return loadForAdmin(args, listAccessCodes);
}

export default function AccessCodes({ loaderData }: Route.ComponentProps) {
  return loaderData === null ? null : <AccessCodesScreen list={loaderData} />;
}
