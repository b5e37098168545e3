import { and, asc, count, desc, eq, gte, isNull } from "drizzle-orm";
import type { Executor } from "#db/database.ts";
import { tools } from "#db/tables/catalog.ts";
import { accessCodeReports, accessCodes } from "#db/tables/vault.ts";

/** All active codes that buyers have reported since they changed, the most reported first. The caller authorises. */
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
