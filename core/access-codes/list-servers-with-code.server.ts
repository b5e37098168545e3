import type { Executor } from "#db/database.ts";
import { listCodedServerNames } from "./queries.server.ts";
import { serverNamed } from "./server-names.ts";

/** Ids of those servers of a tool that have an active code. Trusts its caller; tells no code. */
export async function listServersWithCode(
  executor: Executor,
  { toolId, servers }: { toolId: string; servers: readonly { id: string; name: string }[] },
): Promise<ReadonlySet<string>> {
  const names = await listCodedServerNames(executor, toolId);
  return new Set(names.flatMap((name) => serverNamed(servers, name)?.id ?? []));
}
