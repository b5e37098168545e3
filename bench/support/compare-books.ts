import type pg from "pg";
import { z } from "zod";
import type { PaymentFacts } from "#tests/fake-gateway/control.ts";

/** The differences between the books of the gateway and of the shop. All are 0 in a correct shop. */
export interface BookDifferences {
  /** Captured payments that are neither a pass nor a refund. */
  lost: number;
  /** Payments with more than one pass or refund, passes without a payment, and refunds that one book has alone. */
  doubled: number;
  /** Tools whose stock is negative, or is not what was there at the start without what was sold. */
  oversold: number;
}

const counted = z.array(z.object({ payment: z.string(), passes: z.int(), refunds: z.int() }));
const PAYMENTS = `
  select a.gateway_payment_id as payment,
    (select count(*)::int from user_purchases p
      where p.id = o.purchase_id and p.status = 'completed' and p.ended_at is null) as passes,
    (select count(*)::int from refunds r where r.attempt_id = a.id) as refunds
  from payment_attempts a join payment_orders o on o.id = a.order_id where a.status = 'captured'`;

const STOCK = `
  select count(*)::int as n from tools t where t.slug = any($1) and (t.available_stock < 0
    or t.available_stock <> ($2::int[])[array_position($1, t.slug)] - (
      select count(*) from user_purchases p where p.tool_id = t.id and p.stock_state in ('held', 'used')))`;

/** Passes of the checkout, which a payment must have paid for. */
const PASSES =
  "select count(*)::int as n from user_purchases where source = 'checkout' and status = 'completed' and ended_at is null";

/** @param stocks the stock of each tool at the start, by slug */
export async function compareBooks(
  database: pg.Client,
  captured: readonly PaymentFacts[],
  stocks: ReadonlyMap<string, number>,
): Promise<BookDifferences & { passes: number; refunds: number }> {
  const rows = counted.parse((await database.query(PAYMENTS)).rows);
  const ofShop = new Map(rows.map((row) => [row.payment, row]));
  let [lost, doubled, refunds] = [0, 0, 0];
  for (const { paymentId, refunds: atGateway } of captured) {
    const { passes, refunds: asked } = ofShop.get(paymentId) ?? { passes: 0, refunds: 0 };
    if (passes + asked === 0) lost++;
    if (passes + asked > 1 || atGateway.length > asked) doubled++;
    refunds += asked;
  }
  const count = async (text: string, values: unknown[] = []) =>
    z.array(z.object({ n: z.int() })).parse((await database.query(text, values)).rows)[0]?.n ?? Number.NaN;
  const passes = await count(PASSES);
  doubled += Math.max(0, passes + refunds - captured.length);
  const oversold = await count(STOCK, [[...stocks.keys()], [...stocks.values()]]);
  return { lost, doubled, oversold, passes, refunds };
}
