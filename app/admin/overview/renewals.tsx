import type { Renewals as Rates, RenewalRate } from "#core/reports/renewals.server.ts";
import { ScrollRegion } from "../../ui/regions.tsx";
import { formatCount } from "../format-count.ts";

/** How many paid passes were renewed within seven days of their end, by month as a chart and by tool. */
export function Renewals({ months, all, tools }: Rates) {
  if (all.every(({ ended }) => ended === 0))
    return <p className="text-muted text-sm">No paid pass ended more than 7 days ago yet</p>;
  return (
    <ScrollRegion label="Renewals" className="pr-2">
      <table className="w-full text-sm tabular-nums">
        <caption className="sr-only">Renewals by tool and month</caption>
        <thead className="text-muted text-xs">
          <tr>
            <th scope="col" className="text-left font-medium">
              Month of the end
            </th>
            {months.map((month) => (
              <th key={month} scope="col" className="pl-3 text-right font-medium">
                {`${month.slice(5)}/${month.slice(2, 4)}`}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          <tr className="border-line border-b">
            <th scope="row" className="text-left align-bottom font-semibold">
              All tools
            </th>
            {all.map((rate, at) => (
              <td key={months[at]} className="pl-3 align-bottom">
                <Bar {...rate} />
                <Rate {...rate} />
              </td>
            ))}
          </tr>
          {tools.map((tool) => (
            <tr key={tool.name} className="border-line border-b last:border-b-0">
              <th
                scope="row"
                title={tool.name}
                className="w-full max-w-0 min-w-28 truncate text-left font-normal"
              >
                {tool.name}
              </th>
              {tool.months.map((rate, at) => (
                <td key={months[at]} className="pl-3">
                  <Rate {...rate} />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </ScrollRegion>
  );
}

const percentOf = ({ ended, renewed }: RenewalRate) => Math.round((100 * renewed) / ended);

/** Decorative: the number below says the same. */
function Bar(rate: RenewalRate) {
  const height = rate.ended === 0 ? 0 : percentOf(rate);
  return (
    <div aria-hidden="true" className="ml-auto flex h-10 w-6 items-end border-line border-b">
      <div className="w-full bg-ink" style={{ height: `${height}%` }} />
    </div>
  );
}

function Rate(rate: RenewalRate) {
  const { ended, renewed } = rate;
  if (ended === 0) return <p className="text-right text-muted">–</p>;
  return (
    <div className="text-right">
      <p>{`${percentOf(rate)}%`}</p>
      <p className="whitespace-nowrap text-muted text-xs">{`${formatCount(renewed)} of ${formatCount(ended)}`}</p>
    </div>
  );
}
