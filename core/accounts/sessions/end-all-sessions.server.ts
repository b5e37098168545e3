import { sessions } from "#db/tables/accounts.ts";
import { changed, inTransaction } from "#db/transaction.ts";
import { recordAudit } from "../../audit/record-audit.server.ts";
import { requireSystem } from "../../authorise.ts";
import type { Context } from "../../context.ts";

/** Signs everybody out, because the secret that signs their cookies is lost. @throws DomainError 'forbidden' */
export async function endAllSessions(ctx: Context): Promise<void> {
  requireSystem(ctx);
  await inTransaction(ctx.db, async (tx) => {
    await tx.delete(sessions);
    changed(tx, sessions);
    await recordAudit(ctx, tx, { action: "sessions.ended", subjectType: "store" });
  });
}
