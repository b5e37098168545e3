import { sql } from "drizzle-orm";
import { z } from "zod";
import { tools } from "#db/tables/catalog.ts";
import { userPurchases } from "#db/tables/purchases.ts";
import type { AuthorisedContext } from "../authorise.ts";
import { IS_COMPLETED } from "../pass-validity.server.ts";
import { addDays, wallTimeAt } from "../time.ts";

/** Paid passes that have ended by themselves, and how many of them another pass of the same buyer and tool has followed. */
export interface RenewalRate {
  ended: number;
  renewed: number;
}

export interface Renewals {
  /** YYYY-MM in the store's time zone, the newest first. */
  months: string[];
  /** A rate for each month. */
  all: RenewalRate[];
  /** The tools with the most such passes, a rate for each month. */
  tools: { name: string; months: RenewalRate[] }[];
}

const MONTHS = 6;
const TOOLS_SHOWN = 10;
/** A pass that follows later is a new sale. Passes that have ended since are not counted yet. */
const RENEWED_WITHIN_DAYS = 7;

const row = z.object({ month: z.string(), tool: z.string(), ended: z.int(), renewed: z.int() });

/** How often buyers renew, by tool and month of the end, in the last six months. Test passes and free ones do not count. The caller authorises. */
export async function readRenewals({ db, clock, store }: AuthorisedContext): Promise<Renewals> {
  const now = clock.now();
  const months = lastMonths(now, store.timeZone);
  const month = sql`to_char(${userPurchases.expiresAt} at time zone ${store.timeZone}, 'YYYY-MM')`;
  const isRenewed = sql`exists (select from ${userPurchases} next
    where next.user_id = ${userPurchases.userId} and next.tool_id = ${userPurchases.toolId}
      and next.id <> ${userPurchases.id} and next.status in ('completed', 'active') and next.ended_at is null
      and next.test_mode = false and next.starts_at >= ${userPurchases.expiresAt}
      and next.starts_at <= ${userPurchases.expiresAt} + make_interval(days => ${RENEWED_WITHIN_DAYS}))`;
  const { rows } = await db.execute(sql`
    select ${month} as month, coalesce(${tools.name}, ${userPurchases.toolName}) as tool, count(*)::int as ended,
      count(*) filter (where ${isRenewed})::int as renewed
    from ${userPurchases} left join ${tools} on ${tools.id} = ${userPurchases.toolId}
    where ${userPurchases.expiresAt} >= ${`${months.at(-1)}-01`}::timestamp at time zone ${store.timeZone}
      and ${userPurchases.expiresAt} < ${addDays(now, -RENEWED_WITHIN_DAYS)}
      and ${IS_COMPLETED} and ${userPurchases.endedAt} is null and ${userPurchases.testMode} = false
      and ${userPurchases.amountPaise} > 0
    group by 1, 2`);
  const counted = z.array(row).parse(rows);
  const ratesOf = (of: typeof counted) =>
    months.map((name) => sumOf(of.filter(({ month }) => month === name)));
  const byTool = [...Map.groupBy(counted, ({ tool }) => tool)].map(([name, of]) => ({ name, of }));
  const mostFirst = byTool.toSorted(
    (a, b) => sumOf(b.of).ended - sumOf(a.of).ended || (a.name < b.name ? -1 : 1),
  );
  return {
    months,
    all: ratesOf(counted),
    tools: mostFirst.slice(0, TOOLS_SHOWN).map(({ name, of }) => ({ name, months: ratesOf(of) })),
  };
}

function sumOf(rates: readonly RenewalRate[]): RenewalRate {
  const add = (sum: RenewalRate, { ended, renewed }: RenewalRate) => ({
    ended: sum.ended + ended,
    renewed: sum.renewed + renewed,
  });
  return rates.reduce(add, { ended: 0, renewed: 0 });
}

/** The month of `now` and those before it, newest first. */
function lastMonths(now: Date, timeZone: string): string[] {
  const { year, month } = wallTimeAt(now, timeZone);
  return Array.from({ length: MONTHS }, (_, at) =>
    new Date(Date.UTC(year, month - 1 - at)).toISOString().slice(0, 7),
  );
}
