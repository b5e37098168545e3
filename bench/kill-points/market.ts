import type pg from "pg";

/** What the bench sells: tools that never run out, each with its coupons, and tools with a unit or two. */
export const PLENTY = Array.from({ length: 16 }, (_, n) => `plenty-${n + 1}`);
export const SCARCE = ["scarce-1", "scarce-2", "scarce-3"] as const;

const PLENTY_STOCK = 100_000;
const SCARCE_STOCK = 2;
const FIRST_LIMIT = 6;

/** Takes a tenth off, as often as one likes. */
export const tenthOff = (slug: string) => `TENTH-${slug}`.toUpperCase();
/** Takes a quarter off, a few times only. */
export const quarterOff = (slug: string) => `QUARTER-${slug}`.toUpperCase();
export const everythingOff = (slug: string) => `ALL-${slug}`.toUpperCase();

/** Units of stock that were ever put on a shelf, by slug. */
export type Shelves = Map<string, number>;

/** Fills the shelves of the throwaway shop. */
export async function openMarket(client: pg.Client): Promise<Shelves> {
  const shelves: Shelves = new Map([
    ...PLENTY.map((slug) => [slug, PLENTY_STOCK] as const),
    ...SCARCE.map((slug) => [slug, SCARCE_STOCK] as const),
  ]);
  for (const [slug, stock] of shelves) {
    await client.query(
      `insert into tools (id, slug, name, description, price_paise, available_stock)
       values (gen_random_uuid(), $1, $1, 'Bought by the bench.', 19900, $2)`,
      [slug, stock],
    );
  }
  for (const slug of PLENTY) {
    const coupons = [
      [tenthOff(slug), 10, null],
      [quarterOff(slug), 25, FIRST_LIMIT],
      [everythingOff(slug), 100, null],
    ];
    for (const coupon of coupons) {
      await client.query(
        `insert into coupon_codes (id, code, tool_id, discount_percentage, usage_limit)
         select gen_random_uuid(), $2, id, $3, $4 from tools where slug = $1`,
        [slug, ...coupon],
      );
    }
  }
  return shelves;
}

/** The owner adds one unit to each scarce tool and one use to each limited coupon. */
export async function restock(client: pg.Client, shelves: Shelves): Promise<void> {
  for (const slug of SCARCE) {
    await client.query("update tools set available_stock = available_stock + 1 where slug = $1", [slug]);
    shelves.set(slug, (shelves.get(slug) ?? 0) + 1);
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

/** What is wrong with the counters of stock and of coupons; each query sees one moment. */
export async function findMiscounts(client: pg.Client, shelves: Shelves): Promise<string[]> {
  const stock = await client.query<{ slug: string; available: number; taken: number; passes: number }>(
    STOCK,
    [[...shelves.keys()]],
  );
  const coupons = await client.query<{ code: string; taken: number; limit: number | null; counted: number }>(
    COUPONS,
  );
  return [
    ...stock.rows
      .filter(({ slug, available, taken }) => available !== (shelves.get(slug) ?? 0) - taken)
      .map(({ slug, available, taken }) => {
        return `${slug}: ${shelves.get(slug)} put there, ${taken} taken, ${available} left`;
      }),
    ...stock.rows
      .filter(({ slug, passes }) => passes > (shelves.get(slug) ?? 0))
      .map(({ slug, passes }) => `${slug}: ${passes} passes for ${shelves.get(slug)} units`),
    ...coupons.rows
      .filter(({ taken, limit, counted }) => taken !== counted || (limit !== null && taken > limit))
      .map(({ code, taken, limit, counted }) => `${code}: counter ${taken}, uses ${counted}, limit ${limit}`),
  ];
}
