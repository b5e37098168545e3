import { formatPaise } from "#core/money.ts";

/** `totalRevenue` in paise. */
export interface Figures {
  totalUsers: number;
  activeUsers: number;
  totalPurchases: number;
  totalRevenue: number;
  totalTools: number;
  activeTools: number;
}

/** test: no real money moves; not-set-up: nobody can pay. */
export type Payments = "live" | "test" | "not-set-up";

const counts = new Intl.NumberFormat("en-IN");

/** The six figures of the shop: one strip, cards on phones. */
export function StatisticsStrip({ statistics, payments }: { statistics: Figures; payments: Payments }) {
  const note = payments === "test" ? "Test payments are not counted" : undefined;
  const figures: Array<{ label: string; value: string; note?: string | undefined }> = [
    { label: "Total Users", value: counts.format(statistics.totalUsers) },
    { label: "Active Users", value: counts.format(statistics.activeUsers) },
    { label: "Total Purchases", value: counts.format(statistics.totalPurchases) },
    { label: "Total Revenue", value: formatPaise(statistics.totalRevenue), note },
    { label: "Total Tools", value: counts.format(statistics.totalTools) },
    { label: "Active Tools", value: counts.format(statistics.activeTools) },
  ];
  return (
    // From 640 px the cards grow together: the line between two is the strip's ground showing through.
    <dl className="grid grid-cols-[repeat(auto-fill,minmax(min(100%,8rem),1fr))] gap-2 sm:grid-cols-3 sm:gap-px sm:overflow-hidden sm:rounded-ticket sm:border sm:border-line sm:bg-line lg:grid-cols-6">
      {figures.map((figure) => (
        <div
          key={figure.label}
          className="min-w-0 rounded-ticket border border-line bg-card px-4 py-3.5 sm:rounded-none sm:border-0"
        >
          <dt className="text-muted text-xs">{figure.label}</dt>
          <dd className="mt-0.5 break-words font-semibold text-xl tabular-nums tracking-tight">
            {figure.value}
          </dd>
          {figure.note === undefined ? null : <dd className="mt-1 text-muted text-xs">{figure.note}</dd>}
        </div>
      ))}
    </dl>
  );
}
