import { useState } from "react";
import { formatPaise } from "#core/money.ts";
import type { PaymentMode } from "#core/reports/go-live-checklist.ts";
import type { Overview } from "#core/reports/read-dashboard.server.ts";
import { ScrollRegion } from "../../ui/regions.tsx";
import { VisuallyHidden } from "../../ui/text.tsx";
import { formatCount } from "../format-count.ts";
import { WAY_NAMES } from "../forms/transfer-fields.tsx";

/** Sales and revenue of today, 7 and 30 days, by what brought the buyers, and by day as a chart or as a table. */
export function SalesSummary({ overview, paymentMode }: { overview: Overview; paymentMode: PaymentMode }) {
  const { today, last7Days, last30Days, days, cameFrom, revenueByHand, passesRunning, testPayments } =
    overview;
  const byHand = revenueByHand.map(
    ({ way, revenuePaise }) => `${WAY_NAMES[way]} ${formatPaise(revenuePaise)}`,
  );
  const [asTable, setAsTable] = useState(false);
  const hasSales = last30Days.sales > 0 || last30Days.revenuePaise !== 0;
  return (
    <div className="flex min-w-0 flex-col gap-1.5">
      <table className="w-full text-sm">
        <caption className="sr-only">Sales</caption>
        <thead className="text-muted text-xs">
          <tr>
            <th scope="col" className="text-left font-medium">
              <VisuallyHidden>Period</VisuallyHidden>
            </th>
            <th scope="col" className="pl-3 text-right font-medium">
              Sales
            </th>
            <th scope="col" className="pl-3 text-right font-medium">
              Revenue
            </th>
          </tr>
        </thead>
        <tbody>
          <Period name="Today" {...today} />
          <Period name="Last 7 days" {...last7Days} />
          <Period name="Last 30 days" {...last30Days} />
        </tbody>
        {cameFrom.length === 0 ? null : (
          <tbody>
            <tr>
              <th scope="rowgroup" colSpan={3} className="pt-1.5 text-left font-medium text-muted text-xs">
                Where buyers came from, last 30 days
              </th>
            </tr>
            {cameFrom.map(({ name, ...sales }) => (
              <Period key={name ?? ""} name={name ?? "Others"} {...sales} />
            ))}
          </tbody>
        )}
      </table>
      {asTable ? <DayTable days={days} /> : <Chart days={days} hasSales={hasSales} />}
      <div className="flex flex-wrap items-center justify-between gap-x-3">
        <p className="text-sm">
          <strong className="font-semibold tabular-nums">{formatCount(passesRunning)}</strong>
          <span>{` ${passesRunning === 1 ? "pass" : "passes"} running `}</span>
          <span className="text-muted text-xs">(not ended, not expired)</span>
        </p>
        <button
          type="button"
          aria-expanded={asTable}
          onClick={() => setAsTable(!asTable)}
          className="min-h-11 rounded-sm font-medium text-accent text-xs underline-offset-4 hover:underline sm:min-h-6"
        >
          {asTable ? "Show as a Chart" : "Show as a Table"}
        </button>
      </div>
      {revenueByHand.length === 0 ? null : (
        <p className="text-sm">{`Paid by hand, of the total revenue: ${byHand.join(", ")}`}</p>
      )}
      {paymentMode === "test" || testPayments.sales > 0 ? (
        <p className="text-sm">
          <strong className="font-semibold tabular-nums">{formatPaise(testPayments.revenuePaise)}</strong>
          <span>{` in test payments (${formatSales(testPayments.sales)}). `}</span>
          <span className="text-muted">No real money, so they are not counted above.</span>
        </p>
      ) : null}
    </div>
  );
}

function Period({ name, sales, revenuePaise }: { name: string; sales: number; revenuePaise: number }) {
  return (
    <tr>
      <th scope="row" title={name} className="w-full max-w-0 truncate text-left font-normal">
        {name}
      </th>
      <td className="pl-3 text-right tabular-nums">{formatCount(sales)}</td>
      <td className="pl-3 text-right font-semibold tabular-nums">{formatPaise(revenuePaise)}</td>
    </tr>
  );
}

function Chart({ days, hasSales }: { days: Overview["days"]; hasSales: boolean }) {
  const [first] = days;
  return (
    <div>
      <div className="relative">
        <SalesChart days={days} />
        {hasSales ? null : (
          <p className="absolute inset-x-0 top-2 text-center text-muted text-xs">
            No sales in the last 30 days
          </p>
        )}
      </div>
      <div aria-hidden="true" className="flex justify-between text-muted text-xs tabular-nums">
        <span>{first ? shortDate(first.date) : null}</span>
        <span>top: revenue, bottom: sales</span>
        <span>today</span>
      </div>
    </div>
  );
}

function DayTable({ days }: { days: Overview["days"] }) {
  return (
    <ScrollRegion label="Sales by day" className="max-h-56 pr-2">
      <table className="w-full text-sm">
        <caption className="sr-only">Sales by day</caption>
        <thead className="text-muted text-xs">
          <tr>
            {["Day", "Sales", "Revenue"].map((name, at) => (
              <th
                key={name}
                scope="col"
                className={`sticky top-0 bg-card font-medium ${at === 0 ? "text-left" : "pl-3 text-right"}`}
              >
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {days.toReversed().map(({ date, sales, revenuePaise }) => (
            <Period key={date} name={shortDate(date)} sales={sales} revenuePaise={revenuePaise} />
          ))}
        </tbody>
      </table>
    </ScrollRegion>
  );
}

type Days = Overview["days"];

const WIDTH = 300;
const REVENUE_HEIGHT = 36;
const SALES_HEIGHT = 14;
const GAP = 6;
const HEIGHT = REVENUE_HEIGHT + GAP + SALES_HEIGHT;

/** Revenue and sales of each day as two rows of bars; today's are marigold. Decorative: a table has the same numbers. */
function SalesChart({ days }: { days: Days }) {
  const mostRevenue = Math.max(1, ...days.map(({ revenuePaise }) => revenuePaise));
  const mostSales = Math.max(1, ...days.map(({ sales }) => sales));
  const step = WIDTH / days.length;
  return (
    <svg
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      preserveAspectRatio="none"
      aria-hidden="true"
      className="h-14 w-full"
    >
      {days.map((day, at) => {
        const isToday = at === days.length - 1;
        const column = { x: at * step + step * 0.15, width: step * 0.7 };
        return (
          <g key={day.date} className={isToday ? "fill-marigold" : "fill-ink"}>
            <title>{`${shortDate(day.date)}: ${formatPaise(day.revenuePaise)}, ${formatSales(day.sales)}`}</title>
            {/* The target of the tooltip. */}
            <rect x={at * step} y={0} width={step} height={HEIGHT} fill="transparent" />
            <Bar
              {...column}
              bottom={REVENUE_HEIGHT}
              most={REVENUE_HEIGHT}
              part={day.revenuePaise / mostRevenue}
            />
            <g className={isToday ? undefined : "opacity-50"}>
              <Bar {...column} bottom={HEIGHT} most={SALES_HEIGHT} part={day.sales / mostSales} />
            </g>
          </g>
        );
      })}
      {[REVENUE_HEIGHT, HEIGHT].map((y) => (
        <line key={y} x1={0} x2={WIDTH} y1={y - 0.5} y2={y - 0.5} className="stroke-line" strokeWidth={1} />
      ))}
    </svg>
  );
}

/** At least 1 high, so that a small day can be told from an empty one. */
function Bar(bar: { x: number; width: number; bottom: number; most: number; part: number }) {
  if (bar.part <= 0) return null;
  const height = Math.max(1.5, bar.part * (bar.most - 1));
  return (
    <rect
      x={bar.x.toFixed(2)}
      y={(bar.bottom - 1 - height).toFixed(2)}
      width={bar.width.toFixed(2)}
      height={height.toFixed(2)}
    />
  );
}

/** "2026-11-22" → "22/11/26". */
function shortDate(date: string): string {
  const [year = "", month, day] = date.split("-");
  return `${day}/${month}/${year.slice(-2)}`;
}

function formatSales(sales: number): string {
  return sales === 1 ? "1 sale" : `${formatCount(sales)} sales`;
}
