import { and, eq, gt, sql } from "drizzle-orm";
import type { Transaction } from "#db/database.ts";
import { tools } from "#db/tables/catalog.ts";
import { auditEvents } from "#db/tables/operations.ts";
import { recordAudit } from "../audit/record-audit.server.ts";
import type { Context } from "../context.ts";
import { queueOwnerMail } from "../mail/queue-owner-mail.server.ts";
import { DAY } from "../time.ts";

const ACTION = "access-codes.used-up";

/**
 * Tells the owner by mail that a buyer with a pass got no code, because all codes of a server are used: once a day for each
 * server. The audit log has each such day.
 */
export async function tellCodesUsedUp(
  ctx: Context,
  tx: Transaction,
  { tool, serverName }: { tool: { id: string; name: string }; serverName: string },
): Promise<void> {
  // Parallel refusals wait for each other here.
  await tx.select({ id: tools.id }).from(tools).where(eq(tools.id, tool.id)).for("no key update");
  const told = and(
    eq(auditEvents.action, ACTION),
    eq(auditEvents.subjectId, tool.id),
    eq(sql`${auditEvents.details} ->> 'serverName'`, serverName),
    gt(auditEvents.createdAt, new Date(ctx.clock.now().getTime() - DAY)),
  );
  if ((await tx.$count(auditEvents, told)) > 0) return;
  const subject = { subjectType: "tool", subjectId: tool.id };
  await recordAudit(ctx, tx, { action: ACTION, ...subject, details: { serverName } });
  await queueOwnerMail(ctx, tx, {
    kind: "codes-used-up",
    facts: {
      toolName: tool.name,
      serverName,
      codesUrl: `${ctx.store.origin}/admin/access-codes?q=${encodeURIComponent(tool.name)}`,
    },
  });
}
