import { and, count, eq, gt, gte, inArray, max } from "drizzle-orm";
import type { Executor } from "#db/database.ts";
import { accessCodeReports, accessCodes } from "#db/tables/vault.ts";
import { HOUR } from "../time.ts";

/** How long a report keeps the same buyer from reporting the same code again. */
const REPORT_VALID_MS = HOUR;

/**
 * When this user last reported each of these codes: within the last hour, and since the code changed. A code that was not
 * reported is left out.
 */
export async function selectRecentReports(
  executor: Executor,
  { userId, codeIds, now }: { userId: string; codeIds: readonly string[]; now: Date },
): Promise<ReadonlyMap<string, Date>> {
  if (codeIds.length === 0) return new Map();
  const rows = await executor
    .select({ codeId: accessCodeReports.accessCodeId, reportedAt: max(accessCodeReports.createdAt) })
    .from(accessCodeReports)
    .innerJoin(accessCodes, eq(accessCodes.id, accessCodeReports.accessCodeId))
    .where(
      and(
        eq(accessCodeReports.userId, userId),
        inArray(accessCodeReports.accessCodeId, [...codeIds]),
        gt(accessCodeReports.createdAt, new Date(now.getTime() - REPORT_VALID_MS)),
        gte(accessCodeReports.createdAt, accessCodes.codeChangedAt),
      ),
    )
    .groupBy(accessCodeReports.accessCodeId);
  return new Map(
    rows.flatMap(({ codeId, reportedAt }) => (reportedAt ? [[codeId, reportedAt] as const] : [])),
  );
}

/** How many reports each of these codes has since it changed. A code without any is left out. */
export async function countReports(
  executor: Executor,
  codeIds: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  const rows = await executor
    .select({ codeId: accessCodeReports.accessCodeId, reports: count() })
    .from(accessCodeReports)
    .innerJoin(accessCodes, eq(accessCodes.id, accessCodeReports.accessCodeId))
    .where(
      and(
        inArray(accessCodeReports.accessCodeId, [...codeIds]),
        gte(accessCodeReports.createdAt, accessCodes.codeChangedAt),
      ),
    )
    .groupBy(accessCodeReports.accessCodeId);
  return new Map(rows.map(({ codeId, reports }) => [codeId, reports]));
}
