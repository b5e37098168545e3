import { inTransaction } from "#db/transaction.ts";
import { recordAudit } from "../audit/record-audit.server.ts";
import { requireAdmin } from "../authorise.ts";
import type { Context } from "../context.ts";
import { insertSettingOnce, settingExists } from "./queries.server.ts";

const KEY = "resale-acknowledged";

/**
 * Records that the admin may resell what the shop lists. The first acknowledgement is kept and audited; later ones
 * change nothing.
 *
 * @throws DomainError 'unauthenticated', 'forbidden'
 */
export async function acknowledgeResale(ctx: Context): Promise<void> {
  const { userId } = requireAdmin(ctx);
  await inTransaction(ctx.db, async (tx) => {
    const isFirst = await insertSettingOnce(tx, KEY, { userId, at: ctx.clock.now().toISOString() });
    if (isFirst) await recordAudit(ctx, tx, { action: "resale.acknowledged", subjectType: "store" });
  });
}

/** Whether an admin has acknowledged that they may resell. @throws DomainError 'unauthenticated', 'forbidden' */
export async function isResaleAcknowledged(ctx: Context): Promise<boolean> {
  requireAdmin(ctx);
  return settingExists(ctx.db, KEY);
}
