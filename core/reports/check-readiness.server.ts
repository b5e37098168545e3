import { sql } from "drizzle-orm";
import type { Context } from "../context.ts";

/** Whether the database answers a query now. Open to anyone: load balancers ask. */
export async function checkReadiness(ctx: Context): Promise<boolean> {
  try {
    await ctx.db.execute(sql`select 1`);
    return true;
  } catch (error) {
    ctx.log.error({ err: error }, "the database does not answer");
    return false;
  }
}
