import { readRestoreNotice } from "#core/backups/restored-shop.server.ts";
import { listUnknownPayments } from "#core/payments/unknown-payments.server.ts";
import { readGoLiveChecklist } from "#core/reports/go-live-checklist.server.ts";
import { paymentModeOf } from "#core/reports/go-live-checklist.ts";
import { readOverview } from "#core/reports/read-dashboard.server.ts";
import { readPaymentNotices } from "#core/reports/read-payment-notices.server.ts";
import { loadForAdmin } from "../admin-routes.server.ts";
import { ForAdmin, ListFailure } from "../lists/for-admin.tsx";
import type { Route } from "./+types/route";
import { GoLiveChecklist } from "./go-live-checklist.tsx";
import { OverviewPanel } from "./overview-panel.tsx";
import { PaymentNotices } from "./payment-notices.tsx";
import { PromisedPayouts } from "./promised-payouts.tsx";
import { UnknownPayments } from "./unknown-payments.tsx";

export function loader(args: Route.LoaderArgs) {
  return loadForAdmin(args, async (ctx) => {
    const [restored, unknownPayments, notices, checklist, overview] = await Promise.all([
      readRestoreNotice(ctx),
      listUnknownPayments(ctx),
      readPaymentNotices(ctx),
      readGoLiveChecklist(ctx),
      readOverview(ctx),
    ]);
    const isConfirmed = restored?.state !== "unconfirmed";
    const paymentMode = paymentModeOf(ctx.ports.gateway);
    return { isConfirmed, unknownPayments, notices, checklist, overview, paymentMode };
  });
}

export function ErrorBoundary() {
  return <ListFailure message="Failed to fetch the overview" />;
}

/** What needs the owner, the most urgent first, and how the shop has been doing lately. */
export default function OverviewPage({ loaderData }: Route.ComponentProps) {
  return (
    <ForAdmin data={loaderData}>
      {({ isConfirmed, unknownPayments, notices, checklist, overview, paymentMode }) => (
        <>
          <UnknownPayments {...unknownPayments} isConfirmed={isConfirmed} />
          <PaymentNotices {...notices} />
          <PromisedPayouts {...notices.promisedPayouts} />
          <GoLiveChecklist items={checklist} />
          <OverviewPanel overview={overview} paymentMode={paymentMode} />
        </>
      )}
    </ForAdmin>
  );
}
