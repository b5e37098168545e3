import { formatPaise } from "#core/money.ts";
import type { PaymentMode } from "#core/reports/go-live-checklist.ts";
import type { readDashboardStatistics } from "#core/reports/read-dashboard-statistics.server.ts";

export type Statistics = Awaited<ReturnType<typeof readDashboardStatistics>>;

interface Statistic {
  label: string;
  value: string;
  note?: string | undefined;
}

/** A number never breaks: a long one is smaller, so that it fits into its card. */
function sizeOf({ length }: string): string {
  if (length <= 7) return "text-xl";
  if (length <= 10) return "text-lg";
  return length <= 13 ? "text-base" : "text-xs";
}

const counts = new Intl.NumberFormat("en-IN");

/** The tab and the overview count other purchases. */
const PURCHASES_NOTE = "Completed, including ended ones";

/** The six statistics of the shop: one strip, cards on phones. */
export function StatisticsStrip({
  statistics,
  paymentMode,
}: {
  statistics: Statistics;
  paymentMode: PaymentMode;
}) {
  const note = paymentMode === "test" ? "Test payments are not counted" : undefined;
  const cards: Statistic[] = [
    { label: "Total Users", value: counts.format(statistics.totalUsers) },
    { label: "Active Users", value: counts.format(statistics.activeUsers) },
    { label: "Total Purchases", value: counts.format(statistics.totalPurchases), note: PURCHASES_NOTE },
    { label: "Total Revenue", value: formatPaise(statistics.totalRevenuePaise), note },
    { label: "Total Tools", value: counts.format(statistics.totalTools) },
    { label: "Active Tools", value: counts.format(statistics.activeTools) },
  ];
  return (
    // From 640 px the cards touch: the line between two of them is the background of the strip.
    <dl className="grid grid-cols-[repeat(auto-fill,minmax(min(100%,8rem),1fr))] gap-2 sm:grid-cols-3 sm:gap-px sm:overflow-hidden sm:rounded-ticket sm:border sm:border-line sm:bg-line lg:grid-cols-6">
      {cards.map((card) => (
        <div
          key={card.label}
          className="min-w-0 rounded-ticket border border-line bg-card px-4 py-3.5 sm:rounded-none sm:border-0"
        >
          <dt className="text-muted text-xs">{card.label}</dt>
          <dd
            className={`mt-0.5 whitespace-nowrap font-semibold tabular-nums tracking-tight ${sizeOf(card.value)}`}
          >
            {card.value}
          </dd>
          {card.note === undefined ? null : <dd className="mt-1 text-muted text-xs">{card.note}</dd>}
        </div>
      ))}
    </dl>
  );
}
