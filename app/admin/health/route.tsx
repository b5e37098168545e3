import { checkHealthAgain, readHealth, type ShopHealth } from "#core/health/read-health.server.ts";
import { DateTime } from "../../time/date-time.tsx";
import { Button, Spinner } from "../../ui/button.tsx";
import { adminAction, loadForAdmin } from "../admin-routes.server.ts";
import { useAdminAction } from "../forms/admin-action.tsx";
import { callAdminAction } from "../forms/admin-result.ts";
import { ForAdmin, ListFailure } from "../lists/for-admin.tsx";
import { useReloadWhile } from "../use-reload-while.ts";
import type { Route } from "./+types/route";
import { Report, ReportSkeleton, summarise } from "./report.tsx";

export function loader(args: Route.LoaderArgs) {
  return loadForAdmin(args, readHealth);
}

export const action = adminAction({
  "check-again": { run: checkHealthAgain, done: null, failed: "Failed to start the checks" },
});

export const clientAction = callAdminAction;

export function ErrorBoundary() {
  return <ListFailure message="Failed to fetch the health of the shop" />;
}

export default function Health({ loaderData }: Route.ComponentProps) {
  return <ForAdmin data={loaderData}>{(health) => <HealthScreen {...health} />}</ForAdmin>;
}

/** The checks mostly take a second, and longer only where a server does not answer. */
const LOOK_EVERY_MS = 1_000;

/** What the health checks found: what is wrong first, with what mends it. */
export function HealthScreen({ report, isRunning, hasFailed, ownAddress }: ShopHealth) {
  useReloadWhile(isRunning, LOOK_EVERY_MS);
  const again = useAdminAction();
  const busy = again.busy || isRunning;
  return (
    <div className="flex flex-col gap-6">
      <div className="flex flex-wrap items-center justify-between gap-x-6 gap-y-3">
        <div>
          <p role="status" className="font-semibold text-lg">
            {summariseRun(report, hasFailed && !busy)}
          </p>
          <p className="text-muted text-sm">
            {report === null ? null : (
              <>
                <span>Checked on </span>
                <DateTime date={report.checkedAt} />
                <span>. On the server, </span>
                <code>npm run doctor</code>
                <span> shows the same. </span>
              </>
            )}
            {hasFailed && !busy ? (
              <span>{`${report === null ? "" : "The checks could not be run again. "}The log of the shop says why. If trying again doesn’t help, restart the shop.`}</span>
            ) : null}
            {report === null && (busy || !hasFailed) ? <span>This takes a few seconds.</span> : null}
          </p>
        </div>
        {report === null && !hasFailed ? (
          <Spinner className="size-6" />
        ) : (
          <Button busy={busy} onClick={() => again.run("check-again")}>
            {busy ? "Checking…" : report === null ? "Try Again" : "Check Again"}
          </Button>
        )}
      </div>
      {report !== null ? <Report lines={report.lines} /> : busy || !hasFailed ? <ReportSkeleton /> : null}
      {ownAddress === null || report === null ? null : (
        <p className="text-muted text-sm">{`The shop sees your own request as coming from ${ownAddress}. If that isn’t your address, look at “Client addresses”.`}</p>
      )}
    </div>
  );
}

function summariseRun(report: ShopHealth["report"], hasFailed: boolean): string {
  if (report !== null) return summarise(report.lines);
  return hasFailed ? "The checks could not be run" : "Checking your shop…";
}
