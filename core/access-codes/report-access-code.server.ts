import { and, asc, count, desc, eq, gt, gte, inArray, isNull, lte, max, sql } from "drizzle-orm";
import { z } from "zod";
import type { Executor } from "#db/database.ts";
import { tools } from "#db/tables/catalog.ts";
import { accessCodeReports, accessCodes } from "#db/tables/vault.ts";
import { changed, inTransaction } from "#db/transaction.ts";
import { recordAudit } from "../audit/record-audit.server.ts";
import { requireAdmin, requireSignedIn } from "../authorise.ts";
import type { Context } from "../context.ts";
import { DomainError } from "../errors.ts";
import { queueOwnerMail } from "../mail/queue-mail.server.ts";
import { parseInput, type UntrustedInput } from "../parse.ts";
import { requirePageAccess } from "../passes/access.server.ts";
import { DAY, HOUR } from "../time.ts";
import { lockAccessCode } from "./queries.server.ts";
import { findOwnCode } from "./reveal-access-code.server.ts";
import { dismissReportsSchema } from "./schemas.ts";

const inputSchema = z.object({ page: z.string().min(1).max(80), serverId: z.string().min(1).max(120) });

/** How long a report keeps the same buyer from reporting the same code again. */
const REPORT_VALID_MS = HOUR;

/** How long a report warns other buyers, unless the owner dismisses it earlier. */
const WARNING_MS = DAY;

/**
 * A buyer with an active pass reports that the code of a server does not work. A second report within an hour, of a code
 * that has not changed, is the first one again. The owner gets a mail about the first report of a code.
 *
 * @returns when this buyer reported the code
 * @throws DomainError 'unauthenticated', 'user-disabled', 'invalid-input', 'reports-too-fast', 'not-found' (page or
 *   server), 'access-required', 'forbidden' (access without a pass), 'access-code-not-found' with { server: its name }
 */
export async function reportAccessCode(
  ctx: Context,
  input: { page: string; serverId: string } | UntrustedInput,
): Promise<{ reportedAt: Date }> {
  requireSignedIn(ctx, "own-account");
  const { userId, kind } = ctx.actor;
  const { page, serverId } = parseInput(inputSchema, input);
  await ctx.ports.rateLimiter.consume("report-account", userId);
  return inTransaction(ctx.db, async (tx) => {
    const { tool, pass } = await requirePageAccess(ctx, tx, page);
    if (kind !== "user" || pass === null) throw new DomainError("forbidden");
    const server = tool.servers.find(({ id }) => id === serverId);
    if (server === undefined) throw new DomainError("not-found");
    const found = await findOwnCode(ctx, tx, { tool, server, userId });
    // The lock makes reports of one code wait for each other, and for a change of the code.
    const code = found && (await lockAccessCode(tx, found.id));
    if (!code?.isActive) throw new DomainError("access-code-not-found", { server: server.name });
    const now = ctx.clock.now();
    const recent = await selectRecentReports(tx, { userId, codeIds: [code.id], now });
    const before = recent.get(code.id)?.reportedAt;
    if (before) return { reportedAt: before };
    const isFirst = (await countReports(tx, [code.id])).size === 0;
    await tx.insert(accessCodeReports).values({ accessCodeId: code.id, userId, createdAt: now });
    changed(tx, accessCodeReports);
    await recordAudit(ctx, tx, {
      action: "access-code.reported",
      subjectType: "access-code",
      subjectId: code.id,
      details: { page, serverId },
    });
    if (isFirst) {
      const adminUrl = `${ctx.store.origin}/admin/access-codes?${new URLSearchParams({ q: tool.name })}`;
      const facts = { toolName: tool.name, serverName: server.name, adminUrl };
      await queueOwnerMail(ctx, tx, { kind: "code-reported", facts });
    }
    return { reportedAt: now };
  });
}

/**
 * The owner checked a reported code, and it works: its reports no longer count and warn nobody, and their buyers may report
 * it again. A report that is newer than those that the owner saw stays. Without any left, nothing is written.
 *
 * @returns `count`: how many reports were dismissed
 * @throws DomainError 'unauthenticated', 'forbidden', 'invalid-input', 'not-found'
 */
export async function dismissReports(
  ctx: Context,
  input: z.input<typeof dismissReportsSchema> | UntrustedInput,
): Promise<{ count: number }> {
  requireAdmin(ctx, "low-risk");
  const { id, lastReportedAt } = parseInput(dismissReportsSchema, input);
  return inTransaction(ctx.db, async (tx) => {
    const code = await lockAccessCode(tx, id);
    if (code === null) throw new DomainError("not-found");
    const dismissed = await tx
      .delete(accessCodeReports)
      .where(
        and(
          eq(accessCodeReports.accessCodeId, id),
          gte(accessCodeReports.createdAt, code.codeChangedAt),
          lte(accessCodeReports.createdAt, lastReportedAt),
        ),
      )
      .returning({ id: accessCodeReports.id });
    changed(tx, accessCodeReports);
    if (dismissed.length === 0) return { count: 0 };
    await recordAudit(ctx, tx, {
      action: "access-code.checked",
      subjectType: "access-code",
      subjectId: id,
      details: { reports: dismissed.length },
    });
    return { count: dismissed.length };
  });
}

/** The reports of one code since it changed, as one buyer sees them. */
interface CodeReports {
  /** When this buyer last reported it, within the last hour. */
  reportedAt: Date | null;
  /** How many other buyers reported it within the last day. */
  others: number;
}

/**
 * The recent reports of each of these codes, for the actor. A code without any is left out.
 *
 * @throws DomainError 'unauthenticated'
 */
export function listRecentReports(
  ctx: Context,
  executor: Executor,
  codeIds: readonly string[],
): Promise<ReadonlyMap<string, CodeReports>> {
  requireSignedIn(ctx, "reads");
  const { userId } = ctx.actor;
  return selectRecentReports(executor, { userId, codeIds, now: ctx.clock.now() });
}

/** All active codes that buyers have reported since they changed, the most reported first. */
export function findReportedCodes(
  executor: Executor,
): Promise<{ accessCodeId: string; toolName: string; serverName: string; reports: number }[]> {
  const reports = count();
  return executor
    .select({
      accessCodeId: accessCodes.id,
      toolName: tools.name,
      serverName: accessCodes.serverName,
      reports,
    })
    .from(accessCodeReports)
    .innerJoin(accessCodes, eq(accessCodes.id, accessCodeReports.accessCodeId))
    .innerJoin(tools, eq(tools.id, accessCodes.toolId))
    .where(
      and(
        gte(accessCodeReports.createdAt, accessCodes.codeChangedAt),
        eq(accessCodes.isActive, true),
        isNull(tools.deletedAt),
      ),
    )
    .groupBy(accessCodes.id, tools.name)
    .orderBy(desc(reports), asc(tools.name), asc(accessCodes.id));
}

/** How many reports each of these codes has since it changed, and when the last came. A code without any is left out. */
export async function countReports(
  executor: Executor,
  codeIds: readonly string[],
): Promise<ReadonlyMap<string, { reports: number; lastReportedAt: Date | null }>> {
  const rows = await executor
    .select({
      codeId: accessCodeReports.accessCodeId,
      reports: count(),
      lastReportedAt: max(accessCodeReports.createdAt),
    })
    .from(accessCodeReports)
    .innerJoin(accessCodes, eq(accessCodes.id, accessCodeReports.accessCodeId))
    .where(
      and(
        inArray(accessCodeReports.accessCodeId, [...codeIds]),
        gte(accessCodeReports.createdAt, accessCodes.codeChangedAt),
      ),
    )
    .groupBy(accessCodeReports.accessCodeId);
  return new Map(rows.map(({ codeId, ...counted }) => [codeId, counted]));
}

async function selectRecentReports(
  executor: Executor,
  { userId, codeIds, now }: { userId: string; codeIds: readonly string[]; now: Date },
): Promise<ReadonlyMap<string, CodeReports>> {
  if (codeIds.length === 0) return new Map();
  const since = (ms: number) => new Date(now.getTime() - ms);
  const { createdAt } = accessCodeReports;
  const isOwn = sql`${accessCodeReports.userId} = ${userId}`;
  const rows = await executor
    .select({
      codeId: accessCodeReports.accessCodeId,
      reportedAt: sql<Date | null>`max(${createdAt}) filter (where ${isOwn}
        and ${gt(createdAt, since(REPORT_VALID_MS))})`.mapWith(createdAt),
      others: sql`count(distinct ${accessCodeReports.userId}) filter (where not ${isOwn})`.mapWith(Number),
    })
    .from(accessCodeReports)
    .innerJoin(accessCodes, eq(accessCodes.id, accessCodeReports.accessCodeId))
    .where(
      and(
        inArray(accessCodeReports.accessCodeId, [...codeIds]),
        gt(createdAt, since(WARNING_MS)),
        gte(createdAt, accessCodes.codeChangedAt),
      ),
    )
    .groupBy(accessCodeReports.accessCodeId);
  return new Map(rows.map(({ codeId, ...reports }) => [codeId, reports]));
}
