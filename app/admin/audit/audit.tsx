import { listAuditEvents } from "#core/audit/list-audit-events.server.ts";
import { ForAdmin } from "../lists/for-admin.tsx";
import { ListFailure } from "../lists/list-failure.tsx";
import { loadForAdmin } from "../lists/load-list.server.ts";
import type { Route } from "./+types/audit";
import { AuditScreen } from "./audit-screen.tsx";

export function loader(args: Route.LoaderArgs) {
  return loadForAdmin(args, listAuditEvents);
}

export function ErrorBoundary() {
  return <ListFailure message="Failed to fetch the audit log" />;
}

export default function Audit({ loaderData }: Route.ComponentProps) {
  return <ForAdmin data={loaderData}>{(list) => <AuditScreen list={list} />}</ForAdmin>;
}
