import { useEffect, useRef } from "react";
import { Outlet, useLocation, useRevalidator } from "react-router";
import type { RestoreNotice } from "#core/backups/restored-shop.server.ts";
import { TOPICS, type Topic } from "#core/live/topics.ts";
import { formatPaise } from "#core/money.ts";
import type { DashboardStatistics, TabCounts } from "#core/reports/read-dashboard.server.ts";
import { useLive } from "../../live/use-live.ts";
import { Banner } from "../../ui/banner.tsx";
import { classNames } from "../../ui/class-names.ts";
import { ScrollRegion } from "../../ui/regions.tsx";
import { useHiddenEdges } from "../../ui/use-hidden-edges.ts";
import { useInterruptedLoads, useSkippedEntries } from "../dialogs/use-dialogs.ts";
import { formatCount } from "../format-count.ts";
import { AdminFeedback, FeedbackBanner } from "./admin-feedback.tsx";
import { AdminNavigation, findAdminPage, tabPanelProps } from "./admin-tabs.tsx";
import { DashboardHeader } from "./dashboard-header.tsx";
import { RestoredShop } from "./restored-shop.tsx";

export interface DashboardView {
  /** null: the shop was never restored, or nothing is left to do. */
  restored: RestoreNotice | null;
  statistics: DashboardStatistics;
  tabCounts: TabCounts;
  /** How many lines of the overview need the owner. */
  attention: number;
}

/**
 * What the dashboard shows. The audit log, which changes with every sign-in, is on a page of its own. `stock` is for
 * the pages of the shop.
 */
const LIVE_TOPICS: readonly Topic[] = TOPICS.filter((topic) => topic !== "audit" && topic !== "stock");
const AUDIT_TOPICS: readonly Topic[] = [...LIVE_TOPICS, "audit"];

/** The frame of all admin pages: title, statistics, navigation, banners. It shows changes of others by itself. */
export function DashboardScreen({
  restored,
  error,
  statistics,
  tabCounts,
  attention,
}: DashboardView & { error: string | undefined }) {
  const { pathname } = useLocation();
  useRenewal(statistics);
  useInterruptedLoads();
  useSkippedEntries();
  const live = useLive(pathname.startsWith("/admin/audit") ? AUDIT_TOPICS : LIVE_TOPICS);
  return (
    <AdminFeedback>
      <main className="mx-auto flex w-full max-w-page flex-col gap-2 px-4 pt-1 pb-8 sm:px-6">
        <DashboardHeader
          title={findAdminPage(pathname)?.label ?? "Admin Dashboard"}
          live={live}
          attention={attention}
        />
        <StatisticsStrip statistics={statistics} />
        <AdminNavigation tabCounts={tabCounts} attention={attention} />
        {error === undefined ? null : <Banner tone="error">{error}</Banner>}
        <FeedbackBanner />
        <RestoredShop notice={restored} />
        <section {...tabPanelProps(pathname)}>
          {/* The link that skips to the content leads here. */}
          <div id="content" tabIndex={-1} className="flex flex-col gap-3 outline-none">
            <Outlet />
          </div>
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

/** The six statistics of the shop as one strip, which scrolls on phones. */
export function StatisticsStrip({ statistics }: { statistics: DashboardStatistics }) {
  const strip = useRef<HTMLElement>(null);
  const { edges, updateEdges } = useHiddenEdges(strip);
  const cards: Statistic[] = [
    { label: "Total Users", value: formatCount(statistics.totalUsers) },
    { label: "Active Users", value: formatCount(statistics.activeUsers) },
    // The tab counts other purchases.
    {
      label: "Total Purchases",
      value: formatCount(statistics.totalPurchases),
      note: "Completed, including ended ones",
    },
    {
      label: "Total Revenue",
      value: formatPaise(statistics.totalRevenuePaise),
      note: "Test payments are not counted",
    },
    { label: "Total Tools", value: formatCount(statistics.totalTools) },
    { label: "Active Tools", value: formatCount(statistics.activeTools) },
  ];
  return (
    <ScrollRegion
      label="Statistics"
      ref={(element) => {
        strip.current = element;
      }}
      onScroll={updateEdges}
      className={classNames(
        "relative overflow-x-auto rounded-ticket border border-line [scrollbar-width:none]",
        edges.start && "fade-start",
        edges.end && "fade-end",
      )}
    >
      {/* The line between two figures is the background of the strip. */}
      <dl className="grid auto-cols-[minmax(max-content,1fr)] grid-flow-col gap-px bg-line">
        {cards.map(({ label, value, note }) => (
          <div key={label} title={note} className="bg-card px-3 py-1 sm:px-4">
            <dt className="text-muted text-xs">{label}</dt>
            <dd className="whitespace-nowrap font-semibold text-base tabular-nums leading-tight tracking-tight sm:text-lg">
              {value}
            </dd>
            {note === undefined ? null : <dd className="sr-only">{note}</dd>}
          </div>
        ))}
      </dl>
    </ScrollRegion>
  );
}

/** Loads the data again when sums that were kept can be read again: they may lack the change that a live update was about. */
function useRenewal({ renewableInMs }: DashboardStatistics): void {
  const { revalidate } = useRevalidator();
  useEffect(() => {
    if (renewableInMs === null) return;
    const timer = setTimeout(() => void revalidate(), renewableInMs);
    return () => clearTimeout(timer);
  }, [renewableInMs, revalidate]);
}
