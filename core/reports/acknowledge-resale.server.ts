import { inTransaction } from "#db/transaction.ts";
import { recordAudit } from "../audit/record-audit.server.ts";
import { requireAdmin } from "../authorise.ts";
import type { Context } from "../context.ts";
import { insertSettingOnce, settingExists } from "./queries.server.ts";

const KEY = "resale-acknowledged";

/**
 * The admin states, once for the shop, that they may resell what it lists. Who and when is kept and audited; a second
 * acknowledgement changes nothing.
 *
 * @throws DomainError 'unauthenticated', 'forbidden'
 */
export async function acknowledgeResale(ctx: Context): Promise<void> {
  const { userId } = requireAdmin(ctx);
  await inTransaction(ctx.db, async (tx) => {
    const first = await insertSettingOnce(tx, KEY, { userId, at: ctx.clock.now().toISOString() });
    if (first) await recordAudit(ctx, tx, { action: "resale.acknowledged", subjectType: "store" });
  });
}

/** Whether an admin has acknowledged it. @throws DomainError 'unauthenticated', 'forbidden' */
export async function isResaleAcknowledged(ctx: Context): Promise<boolean> {
  requireAdmin(ctx);
  return settingExists(ctx.db, KEY);
}
