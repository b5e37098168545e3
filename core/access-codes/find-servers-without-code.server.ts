import { and, asc, eq, isNull } from "drizzle-orm";
import type { Executor } from "#db/database.ts";
import { tools } from "#db/tables/catalog.ts";
import { accessCodes } from "#db/tables/vault.ts";
import { findServerByName } from "./queries.server.ts";

/**
 * Active tools, ready or not, with the names of those servers that have no active code. A tool without servers needs none. The caller
 * authorises.
 */
export async function findServersWithoutCode(
  executor: Executor,
): Promise<{ toolId: string; toolName: string; servers: string[] }[]> {
  const active = await executor
    .select({ toolId: tools.id, toolName: tools.name, servers: tools.servers })
    .from(tools)
    .where(and(eq(tools.isActive, true), isNull(tools.deletedAt)))
    .orderBy(asc(tools.name), asc(tools.id));
  const withCode = await executor
    .selectDistinct({ toolId: accessCodes.toolId, serverName: accessCodes.serverName })
    .from(accessCodes)
    .where(eq(accessCodes.isActive, true));
  const namesByTool = new Map<string, string[]>();
  for (const { toolId, serverName } of withCode) {
    namesByTool.set(toolId, [...(namesByTool.get(toolId) ?? []), serverName]);
  }
  return active.flatMap(({ toolId, toolName, servers }) => {
    const names = namesByTool.get(toolId) ?? [];
    const served = new Set(names.flatMap((name) => findServerByName(servers, name)?.id ?? []));
    const without = servers.filter(({ id }) => !served.has(id)).map(({ name }) => name);
    return without.length === 0 ? [] : [{ toolId, toolName, servers: without }];
  });
}
