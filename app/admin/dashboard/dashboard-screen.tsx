import { useEffect } from "react";
import { Outlet, useLocation, useRevalidator } from "react-router";
import type { RestoreNotice } from "#core/backups/restored-shop.server.ts";
import { TOPICS, type Topic } from "#core/live/topics.ts";
import { formatPaise } from "#core/money.ts";
import type { UnknownPayments as Payments } from "#core/payments/unknown-payments.server.ts";
import type { ChecklistItem, PaymentMode } from "#core/reports/go-live-checklist.ts";
import type { PaymentNotices as Notices } from "#core/reports/payment-notices.ts";
import type { DashboardStatistics, Overview, TabCounts } from "#core/reports/read-dashboard.server.ts";
import { LiveIndicator } from "../../live/live-indicator.tsx";
import { useLive } from "../../live/use-live.ts";
import { Banner } from "../../ui/banner.tsx";
import { classNames } from "../../ui/class-names.ts";
import { useShared } from "../../use-shared.ts";
import { formatCount } from "../format-count.ts";
import { WAY_NAMES } from "../forms/transfer-fields.tsx";
import { AdminFeedback, FeedbackBanner } from "./admin-feedback.tsx";
import { AdminTabs, isFirstTab, isListPage, tabPanelProps } from "./admin-tabs.tsx";
import { DashboardHeader, findAdminPage } from "./dashboard-header.tsx";
import { GoLiveChecklist } from "./go-live-checklist.tsx";
import { OverviewPanel } from "./overview-panel.tsx";
import { PaymentNotices } from "./payment-notices.tsx";
import { PromisedPayouts } from "./promised-payouts.tsx";
import { RestoredShop } from "./restored-shop.tsx";
import { UnknownPayments } from "./unknown-payments.tsx";

export interface DashboardView {
  /** null: the shop was never restored, or nothing is left to do. */
  restored: RestoreNotice | null;
  unknownPayments: Payments;
  statistics: DashboardStatistics;
  tabCounts: TabCounts;
  overview: Overview;
  checklist: ChecklistItem[];
  paymentNotices: Notices;
  paymentMode: PaymentMode;
}

interface DashboardScreenProps extends DashboardView {
  error: string | undefined;
}

/**
 * What the dashboard shows. The audit log, which changes with every sign-in, is on a page of its own. `stock` is for
 * the pages of the shop.
 */
const LIVE_TOPICS: readonly Topic[] = TOPICS.filter((topic) => topic !== "audit" && topic !== "stock");
const AUDIT_TOPICS: readonly Topic[] = [...LIVE_TOPICS, "audit"];

/** The frame of all admin pages: notices, checklist, statistics, overview, tabs. It shows changes of others by itself. */
export function DashboardScreen(props: DashboardScreenProps) {
  const {
    restored,
    unknownPayments,
    error,
    statistics,
    tabCounts,
    overview,
    checklist,
    paymentNotices,
    paymentMode,
  } = props;
  const { store, user } = useShared();
  const { pathname } = useLocation();
  const page = findAdminPage(pathname);
  useRenewal(overview);
  const live = useLive(pathname.startsWith("/admin/audit") ? AUDIT_TOPICS : LIVE_TOPICS);
  return (
    <AdminFeedback>
      <DashboardHeader name={store.name} />
      <main
        id="content"
        tabIndex={-1}
        className="mx-auto flex max-w-page flex-col gap-3 px-4 py-4 outline-none sm:gap-4 sm:px-6 sm:py-8"
      >
        <div className="mb-1">
          <h1 className="text-xl">{page?.label ?? "Admin Dashboard"}</h1>
          <p className="mt-1 break-words text-muted">
            {`${page === undefined ? `How ${store.name} is doing right now` : ""}${user ? `${page === undefined ? " · signed" : "Signed"} in as ${user.email}` : ""}`}
          </p>
        </div>
        {error === undefined ? null : <Banner tone="error">{error}</Banner>}
        <RestoredShop notice={restored} />
        <UnknownPayments {...unknownPayments} isConfirmed={restored?.state !== "unconfirmed"} />
        <PaymentNotices {...paymentNotices} />
        <PromisedPayouts {...paymentNotices.promisedPayouts} />
        <GoLiveChecklist items={checklist} />
        {page === undefined ? <StatisticsStrip statistics={statistics} paymentMode={paymentMode} /> : null}
        {isListPage(pathname) ? (
          <OverviewPanel overview={overview} paymentMode={paymentMode} isFirstTab={isFirstTab(pathname)} />
        ) : null}
        <AdminTabs tabCounts={tabCounts} />
        <FeedbackBanner />
        <section
          {...tabPanelProps(pathname)}
          className={classNames(
            "flex flex-col gap-3",
            // A short list too lets the tabs be scrolled to the top.
            isListPage(pathname) && "max-[720px]:min-h-[calc(100lvh-5rem)]",
          )}
        >
          <div className="flex justify-end">
            <LiveIndicator status={live} />
          </div>
          <Outlet context={unknownPayments.payments} />
        </section>
      </main>
    </AdminFeedback>
  );
}

interface Statistic {
  label: string;
  value: string;
  note?: string | undefined;
}

/** A number never breaks: a long one is smaller, so that it fits into its card. */
function sizeOf({ length }: string): string {
  if (length <= 7) return "text-lg sm:text-xl";
  if (length <= 10) return "text-base sm:text-lg";
  return length <= 13 ? "text-xs sm:text-base" : "text-[0.625rem] sm:text-xs";
}

/** The tab and the overview count other purchases. */
const PURCHASES_NOTE = "Completed, including ended ones";

/** The six statistics of the shop as one strip: three in a row on phones, with their notes below. */
export function StatisticsStrip({
  statistics,
  paymentMode,
}: {
  statistics: DashboardStatistics;
  paymentMode: PaymentMode;
}) {
  const byHand = statistics.revenueByHand.map(
    ({ way, revenuePaise }) => `${WAY_NAMES[way]} ${formatPaise(revenuePaise)}`,
  );
  const notes = [
    byHand.length === 0 ? [] : `Paid by hand: ${byHand.join(", ")}`,
    paymentMode === "test" ? "Test payments are not counted" : [],
  ].flat();
  const note = notes.length > 0 ? notes.join(". ") : undefined;
  const cards: Statistic[] = [
    { label: "Total Users", value: formatCount(statistics.totalUsers) },
    { label: "Active Users", value: formatCount(statistics.activeUsers) },
    { label: "Total Purchases", value: formatCount(statistics.totalPurchases), note: PURCHASES_NOTE },
    { label: "Total Revenue", value: formatPaise(statistics.totalRevenuePaise), note },
    { label: "Total Tools", value: formatCount(statistics.totalTools) },
    { label: "Active Tools", value: formatCount(statistics.activeTools) },
  ];
  return (
    <div className="flex flex-col gap-1.5">
      {/* The line between two figures is the background of the strip. */}
      <dl className="grid grid-cols-[repeat(auto-fit,minmax(min(100%,6rem),1fr))] gap-px overflow-hidden rounded-ticket border border-line bg-line sm:grid-cols-3 lg:grid-cols-6">
        {cards.map((card) => (
          <div key={card.label} className="min-w-0 bg-card px-2.5 py-1.5 sm:px-4 sm:py-3.5">
            <dt className="text-muted text-xs">{card.label}</dt>
            <dd
              className={`whitespace-nowrap font-semibold tabular-nums tracking-tight max-sm:leading-tight sm:mt-0.5 ${sizeOf(card.value)}`}
            >
              {card.value}
            </dd>
            {card.note === undefined ? null : (
              <dd className="mt-1 text-muted text-xs max-sm:sr-only">{card.note}</dd>
            )}
          </div>
        ))}
      </dl>
      <p aria-hidden="true" className="text-muted text-xs sm:hidden">
        {`Purchases: completed, including ended ones.${note === undefined ? "" : ` ${note}.`}`}
      </p>
    </div>
  );
}

/** Loads the data again when sums that were kept can be read again: they may lack the change that a live update was about. */
function useRenewal(overview: Overview): void {
  const { revalidate } = useRevalidator();
  useEffect(() => {
    if (overview.renewableInMs === null) return;
    const timer = setTimeout(() => void revalidate(), overview.renewableInMs);
    return () => clearTimeout(timer);
  }, [overview, revalidate]);
}
