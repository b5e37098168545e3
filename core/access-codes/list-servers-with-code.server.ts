import type { Executor } from "#db/database.ts";
import { findServerByName, listServerNamesWithCode } from "./queries.server.ts";

/** The ids of those servers of a tool that have an active code. The caller authorises. */
export async function listServersWithCode(
  executor: Executor,
  { toolId, servers }: { toolId: string; servers: readonly { id: string; name: string }[] },
): Promise<ReadonlySet<string>> {
  const names = await listServerNamesWithCode(executor, toolId);
  return new Set(names.flatMap((name) => findServerByName(servers, name)?.id ?? []));
}
