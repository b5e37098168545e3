import { inTransaction } from "#db/transaction.ts";
import { recordAudit } from "../audit/record-audit.server.ts";
import { requireAdmin } from "../authorise.ts";
import type { Context } from "../context.ts";
import { insertSettingOnce } from "./queries.server.ts";

/** What only the owner can know, with the setting that stores the confirmation and the action in the audit log. */
export const CONFIRMATIONS = {
  /** They may resell what the shop lists. */
  resale: { key: "resale-acknowledged", action: "resale.acknowledged" },
  /** A backup of the shop is set up. */
  backup: { key: "backup-confirmed", action: "backup.confirmed" },
  /** The claims that the shop shows are true, although they are those of the demo. */
  claims: { key: "claims-confirmed", action: "claims.confirmed" },
  /** The shop keeps the name that it came with. */
  name: { key: "name-confirmed", action: "name.confirmed" },
  /** The texts of the pages are right, although they are those of the demo. */
  texts: { key: "texts-confirmed", action: "texts.confirmed" },
  /** A test mail of the shop has arrived. */
  "test-mail": { key: "test-mail-confirmed", action: "test-mail.confirmed" },
} as const;

export type Confirmation = keyof typeof CONFIRMATIONS;

/**
 * Records that the admin confirms one thing about the shop. The first confirmation is kept and audited; later ones change
 * nothing.
 *
 * @throws DomainError 'unauthenticated', 'forbidden'
 */
export async function confirmSetup(ctx: Context, confirmation: Confirmation): Promise<void> {
  const { userId } = requireAdmin(ctx, "keeps-house");
  const { key, action } = CONFIRMATIONS[confirmation];
  await inTransaction(ctx.db, async (tx) => {
    const isFirst = await insertSettingOnce(tx, key, { userId, at: ctx.clock.now().toISOString() });
    if (isFirst) await recordAudit(ctx, tx, { action, subjectType: "store" });
  });
}
