import { z } from "zod";
import { query } from "./shop-database.ts";

const orders = z.array(z.object({ id: z.string() }));
const refundRows = z.array(z.object({ status: z.string(), amount: z.number(), reason: z.string() }));

/** The gateway's ids of all orders of one buyer, oldest first. */
export async function listOrderIds(email: string): Promise<string[]> {
  const rows = await query(
    `select gateway_order_id as id from payment_orders
     join user_purchases on user_purchases.id = payment_orders.purchase_id
     where gateway_order_id is not null and user_email = $1 order by payment_orders.created_at`,
    [email],
  );
  return orders.parse(rows).map(({ id }) => id);
}

/** All refunds of one buyer, oldest first. Amounts in paise. */
export async function listRefunds(email: string): Promise<z.infer<typeof refundRows>> {
  return refundRows.parse(
    await query(
      `select refunds.status, refunds.amount, refunds.reason from refunds
       join payment_attempts on payment_attempts.id = refunds.attempt_id
       join payment_orders on payment_orders.id = payment_attempts.order_id
       join user_purchases on user_purchases.id = payment_orders.purchase_id
       where user_email = $1 order by refunds.created_at`,
      [email],
    ),
  );
}

/** Ends the 15 minutes of all open checkouts of one buyer. */
export async function expireHolds(email: string): Promise<void> {
  await query(
    `update user_purchases set hold_ends_at = now() - interval '1 second'
     where user_email = $1 and status = 'pending'`,
    [email],
  );
}

/** Sets the available stock of a tool. */
export async function setStock(slug: string, stock: number): Promise<void> {
  await query("update tools set available_stock = $2 where slug = $1", [slug, stock]);
}
