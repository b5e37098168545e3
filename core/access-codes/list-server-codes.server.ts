import type { Executor } from "#db/database.ts";
import { requireSignedIn } from "../authorise.ts";
import type { Context } from "../context.ts";
import { listPassesOfPage, type PageTool } from "../passes/access.server.ts";
import {
  findServerByName,
  listServersWithUnusedCode,
  listSharedCodes,
  listTakenCodes,
} from "./queries.server.ts";

/** The code that a server of a tool has now for one account. */
export interface ServerCode {
  accessCodeId: string;
  codeChangedAt: Date;
}

/**
 * The code of each server of a tool for the actor, by the id of the server, without the codes themselves: the newest active
 * one, or the one that the actor's pass has taken. 'untaken': there is one for the first reveal. A server without a code is
 * left out. The caller authorises.
 */
export async function listServerCodes(
  ctx: Context,
  executor: Executor,
  tool: PageTool,
): Promise<ReadonlyMap<string, ServerCode | "untaken">> {
  const { userId } = requireSignedIn(ctx, "reads");
  const found = new Map<string, ServerCode | "untaken">();
  const perBuyer = new Set(tool.servers.filter((server) => server.perBuyer).map(({ id }) => id));
  const withUnused = perBuyer.size === 0 ? [] : await listServersWithUnusedCode(executor, tool.id);
  for (const { serverName } of withUnused) {
    const server = findServerByName(tool.servers, serverName);
    if (server?.perBuyer) found.set(server.id, "untaken");
  }
  const keep = (codes: Awaited<ReturnType<typeof listSharedCodes>>, isOfKind: (id: string) => boolean) => {
    for (const { id, serverName, codeChangedAt } of codes) {
      const server = findServerByName(tool.servers, serverName);
      const known = server && found.get(server.id);
      if (server !== undefined && isOfKind(server.id) && (known === undefined || known === "untaken"))
        found.set(server.id, { accessCodeId: id, codeChangedAt });
    }
  };
  keep(await listSharedCodes(executor, tool.id), (id) => !perBuyer.has(id));
  if (perBuyer.size === 0) return found;
  const passIds = await listPassesOfPage(ctx, executor, { userId, tool });
  if (passIds.length === 0) for (const id of perBuyer) found.delete(id);
  keep(await listTakenCodes(executor, tool.id, passIds), (id) => perBuyer.has(id));
  return found;
}
