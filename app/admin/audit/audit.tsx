import { listAuditEvents } from "#core/audit/list-audit-events.server.ts";
import { loadForAdmin } from "../lists/load-list.server.ts";
import type { Route } from "./+types/audit";
import { AuditScreen } from "./audit-screen.tsx";

export function loader(args: Route.LoaderArgs) {
  return loadForAdmin(args, listAuditEvents);
}

export default function Audit({ loaderData }: Route.ComponentProps) {
  return loaderData === null ? null : <AuditScreen list={loaderData} />;
}
