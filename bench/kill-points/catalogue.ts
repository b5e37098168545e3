import type pg from "pg";

/** Tools that never run out, each with coupons. */
export const ABUNDANT_TOOLS = Array.from({ length: 16 }, (_, n) => `plenty-${n + 1}`);
/** Tools with a stock of two. */
export const SCARCE_TOOLS = ["scarce-1", "scarce-2", "scarce-3"] as const;

const ABUNDANT_STOCK = 100_000;
const SCARCE_STOCK = 2;
const INITIAL_COUPON_LIMIT = 6;

/** 10 % off, unlimited. */
export const coupon10 = (slug: string) => `TENTH-${slug}`.toUpperCase();
/** 25 % off, with a usage limit. */
export const coupon25 = (slug: string) => `QUARTER-${slug}`.toUpperCase();
/** 100 % off, unlimited. */
export const coupon100 = (slug: string) => `ALL-${slug}`.toUpperCase();

/** Total stock ever added, by slug. */
export type StockTotals = Map<string, number>;

/** Inserts the tools and coupons. */
export async function insertCatalogue(client: pg.Client): Promise<StockTotals> {
  const stockTotals: StockTotals = new Map([
    ...ABUNDANT_TOOLS.map((slug) => [slug, ABUNDANT_STOCK] as const),
    ...SCARCE_TOOLS.map((slug) => [slug, SCARCE_STOCK] as const),
  ]);
  for (const [slug, stock] of stockTotals) {
    await client.query(
      `insert into tools (id, slug, name, description, price_paise, available_stock, sells_when_not_ready)
       values (gen_random_uuid(), $1, $1, 'For the benchmark.', 19900, $2, true)`,
      [slug, stock],
    );
  }
  for (const slug of ABUNDANT_TOOLS) {
    const coupons = [
      [coupon10(slug), 10, null],
      [coupon25(slug), 25, INITIAL_COUPON_LIMIT],
      [coupon100(slug), 100, null],
    ];
    for (const coupon of coupons) {
      await client.query(
        `insert into coupon_codes (id, code, tool_id, discount_percentage, usage_limit)
         select gen_random_uuid(), $2, id, $3, $4 from tools where slug = $1`,
        [slug, ...coupon],
      );
    }
  }
  return stockTotals;
}

/** The owner adds one unit to each scarce tool and one use to each limited coupon. */
export async function restock(client: pg.Client, stockTotals: StockTotals): Promise<void> {
  for (const slug of SCARCE_TOOLS) {
    await client.query("update tools set available_stock = available_stock + 1 where slug = $1", [slug]);
    stockTotals.set(slug, (stockTotals.get(slug) ?? 0) + 1);
  }
  await client.query("update coupon_codes set usage_limit = usage_limit + 1 where usage_limit is not null");
}

const STOCK = `
  select t.slug, t.available_stock as available,
    count(p.id) filter (where p.stock_state in ('held', 'used'))::int as taken,
    count(p.id) filter (where p.status = 'completed' and p.ended_at is null)::int as passes
  from tools t left join user_purchases p on p.tool_id = t.id
  where t.slug = any($1) group by t.id`;
const COUPONS = `
  select c.code, c.uses_taken as taken, c.usage_limit as limit,
    count(r.id) filter (where r.state in ('held', 'used'))::int as counted
  from coupon_codes c left join coupon_redemptions r on r.coupon_id = c.id group by c.id`;

/** Wrong counters of stock and coupons. Each query reads one snapshot. */
export async function findStockDiscrepancies(client: pg.Client, stockTotals: StockTotals): Promise<string[]> {
  const stock = await client.query<{ slug: string; available: number; taken: number; passes: number }>(
    STOCK,
    [[...stockTotals.keys()]],
  );
  const coupons = await client.query<{ code: string; taken: number; limit: number | null; counted: number }>(
    COUPONS,
  );
  return [
    ...stock.rows
      .filter(({ slug, available, taken }) => available !== (stockTotals.get(slug) ?? 0) - taken)
      .map(({ slug, available, taken }) => {
        return `${slug}: ${stockTotals.get(slug)} added, ${taken} taken, ${available} available`;
      }),
    ...stock.rows
      .filter(({ slug, passes }) => passes > (stockTotals.get(slug) ?? 0))
      .map(({ slug, passes }) => `${slug}: ${passes} passes for ${stockTotals.get(slug)} units`),
    ...coupons.rows
      .filter(({ taken, limit, counted }) => taken !== counted || (limit !== null && taken > limit))
      .map(({ code, taken, limit, counted }) => `${code}: counter ${taken}, uses ${counted}, limit ${limit}`),
  ];
}
