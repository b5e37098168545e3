import { formatPaise } from "#core/money.ts";
import type { Overview } from "#core/reports/read-dashboard.server.ts";

type Days = Overview["days"];

const WIDTH = 300;
const REVENUE_HEIGHT = 36;
const SALES_HEIGHT = 14;
const GAP = 6;
const HEIGHT = REVENUE_HEIGHT + GAP + SALES_HEIGHT;

/** Revenue and sales of each day as two rows of bars; today's are marigold. Decorative: a table has the same numbers. */
export function SalesChart({ days }: { days: Days }) {
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
export function shortDate(date: string): string {
  const [year = "", month, day] = date.split("-");
  return `${day}/${month}/${year.slice(-2)}`;
}

const counts = new Intl.NumberFormat("en-IN");

export function formatSales(sales: number): string {
  return sales === 1 ? "1 sale" : `${counts.format(sales)} sales`;
}
