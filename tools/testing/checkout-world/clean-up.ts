import { sql } from "drizzle-orm";
import type { World } from "./world.ts";

/** After a violation: nothing that is left unfinished may keep the jobs of later worlds busy. */
export async function cleanUp({ shop }: World): Promise<void> {
  shop.fake.faults.clear();
  shop.fake.holdRefunds(false);
  await shop.db.execute(sql`update payment_orders set state = 'closed', next_check_at = null`);
  await shop.db.execute(
    sql`update user_purchases set status = 'failed', hold_ends_at = null where status = 'pending'`,
  );
  await shop.db.execute(
    sql`update refunds set status = 'failed' where status in ('requested', 'processing')`,
  );
  await shop.db.execute(sql`update gateway_events set handled_at = now() where handled_at is null`);
}
