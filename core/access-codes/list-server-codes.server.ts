import type { Executor } from "#db/database.ts";
import { findServerByName, listActiveCodes } from "./queries.server.ts";

/** The code that a server of a tool has now. */
export interface ServerCode {
  accessCodeId: string;
  codeChangedAt: Date;
}

/**
 * The newest active code of each server of a tool, by the id of the server, without the codes themselves. A server without
 * one is left out. The caller authorises.
 */
export async function listServerCodes(
  executor: Executor,
  { toolId, servers }: { toolId: string; servers: readonly { id: string; name: string }[] },
): Promise<ReadonlyMap<string, ServerCode>> {
  const found = new Map<string, ServerCode>();
  for (const { id, serverName, codeChangedAt } of await listActiveCodes(executor, toolId)) {
    const server = findServerByName(servers, serverName);
    if (server !== undefined && !found.has(server.id)) {
      found.set(server.id, { accessCodeId: id, codeChangedAt });
    }
  }
  return found;
}
