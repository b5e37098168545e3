import { useState } from "react";
import { formatPaise } from "#core/money.ts";
import type { PaymentMode } from "#core/reports/go-live-checklist.ts";
import type { Overview } from "#core/reports/read-dashboard.server.ts";
import { ScrollRegion } from "../../ui/regions.tsx";
import { VisuallyHidden } from "../../ui/text.tsx";
import { formatSales, SalesChart, shortDate } from "./sales-chart.tsx";

const counts = new Intl.NumberFormat("en-IN");

/** Sales and revenue of today, 7 and 30 days, and by day as a chart or as a table. */
export function SalesSummary({ overview, paymentMode }: { overview: Overview; paymentMode: PaymentMode }) {
  const { today, last7Days, last30Days, days, passesRunning, testPayments } = overview;
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
            <th scope="col" className="text-right font-medium">
              Sales
            </th>
            <th scope="col" className="text-right font-medium">
              Revenue
            </th>
          </tr>
        </thead>
        <tbody>
          <Period name="Today" {...today} />
          <Period name="Last 7 days" {...last7Days} />
          <Period name="Last 30 days" {...last30Days} />
        </tbody>
      </table>
      {asTable ? <DayTable days={days} /> : <Chart days={days} hasSales={hasSales} />}
      <div className="flex flex-wrap items-center justify-between gap-x-3">
        <p className="text-sm">
          <strong className="font-semibold tabular-nums">{counts.format(passesRunning)}</strong>{" "}
          {passesRunning === 1 ? "pass" : "passes"} running{" "}
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
      {paymentMode === "test" || testPayments.sales > 0 ? (
        <p className="text-sm">
          <strong className="font-semibold tabular-nums">{formatPaise(testPayments.revenuePaise)}</strong> in
          test payments ({formatSales(testPayments.sales)}).{" "}
          <span className="text-muted">No real money, so they are not counted above.</span>
        </p>
      ) : null}
    </div>
  );
}

function Period({ name, sales, revenuePaise }: { name: string; sales: number; revenuePaise: number }) {
  return (
    <tr>
      <th scope="row" className="text-left font-normal">
        {name}
      </th>
      <td className="text-right tabular-nums">{counts.format(sales)}</td>
      <td className="text-right font-semibold tabular-nums">{formatPaise(revenuePaise)}</td>
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
                className={`sticky top-0 bg-card font-medium ${at === 0 ? "text-left" : "text-right"}`}
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
