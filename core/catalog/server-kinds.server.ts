import { and, asc, eq, inArray, isNull, or, type SQL, sql } from "drizzle-orm";
import type { Executor, Transaction } from "#db/database.ts";
import { type ToolServer, tools } from "#db/tables/catalog.ts";
import { userPurchases } from "#db/tables/purchases.ts";
import { accessCodes } from "#db/tables/vault.ts";
import { changed } from "#db/transaction.ts";
import type { Context } from "../context.ts";
import { DomainError } from "../errors.ts";
import { isHeldOrRunning, normaliseServerName, serverOf } from "./stock.server.ts";
import { lockTool, selectServerIds } from "./tool-editing/queries.server.ts";
import { assignServerIds } from "./tool-editing/tool-record.ts";

/*
 * Whether a server hands out one code for all buyers or one for each. The server says so, not its codes: those can be
 * deleted. The callers hold the lock of edits.
 */

interface OneServer {
  toolId: string;
  serverName: string;
}

const isOfServer = ({ toolId, serverName }: OneServer) =>
  and(eq(accessCodes.toolId, toolId), eq(serverOf(accessCodes.serverName), serverOf(serverName)));

/** The servers of a tool, also of a deleted one unless `condition` leaves it out; null without such a tool. */
export async function selectServers(
  executor: Executor,
  toolId: string,
  condition?: SQL,
): Promise<ToolServer[] | null> {
  const [tool] = await executor
    .select({ servers: tools.servers })
    .from(tools)
    .where(and(eq(tools.id, toolId), condition));
  return tool?.servers ?? null;
}

/** Gives a tool that has only a shared sign-in its first server. The caller has the lock of edits. */
export async function addFirstServer(tx: Transaction, { toolId, serverName }: OneServer): Promise<void> {
  const serverIds = await selectServerIds(tx, toolId);
  const tool = await lockTool(tx, toolId);
  if (tool === null || (tool.credentialId === null && tool.credentialService === null)) return;
  const wanted = { servers: [{ name: serverName, url: null }] };
  const servers = assignServerIds(tool.slug, wanted, [], (id) => serverIds.has(id));
  await tx
    .update(tools)
    .set({ servers, version: sql`${tools.version} + 1` })
    .where(eq(tools.id, toolId));
  changed(tx, tools);
}

export async function isServerPerBuyer(
  executor: Executor,
  { toolId, serverName }: OneServer,
): Promise<boolean> {
  const servers = (await selectServers(executor, toolId)) ?? [];
  return servers.some(
    ({ name, perBuyer }) => perBuyer && normaliseServerName(name) === normaliseServerName(serverName),
  );
}

/**
 * Refuses a code for all buyers on a server whose buyers get one each, and the other way round: nobody could say who gets
 * which.
 *
 * @throws DomainError 'server-has-codes-per-buyer', 'server-has-shared-codes'
 */
export async function refuseMixedCodes(
  executor: Executor,
  { perBuyer, ...server }: OneServer & { perBuyer: boolean },
): Promise<void> {
  if (!perBuyer && (await isServerPerBuyer(executor, server)))
    throw new DomainError("server-has-codes-per-buyer");
  const isShared = and(isOfServer(server), eq(accessCodes.isActive, true), eq(accessCodes.perBuyer, false));
  if (perBuyer && (await executor.$count(accessCodes, isShared)) > 0)
    throw new DomainError("server-has-shared-codes");
}

/** The tools with a server or a code for one buyer each, and those whose stock was counted from such codes. */
export async function selectToolsWithCodesPerBuyer(executor: Executor): Promise<string[]> {
  const hasCode = executor
    .select({ toolId: accessCodes.toolId })
    .from(accessCodes)
    .where(eq(accessCodes.perBuyer, true));
  const hasServer = sql`${tools.servers} @> '[{"perBuyer": true}]'`;
  const rows = await executor
    .select({ id: tools.id })
    .from(tools)
    .where(or(eq(tools.stockFromCodes, true), hasServer, inArray(tools.id, hasCode)))
    .orderBy(asc(tools.id));
  return rows.map(({ id }) => id);
}

/** Makes the servers with unused codes for one buyer those that hand out one for each, after codes or servers have changed. */
export async function markServersPerBuyer(tx: Transaction, toolId: string): Promise<void> {
  const unused = await tx
    .selectDistinct({ name: accessCodes.serverName })
    .from(accessCodes)
    .where(
      and(
        eq(accessCodes.toolId, toolId),
        eq(accessCodes.perBuyer, true),
        eq(accessCodes.isActive, true),
        isNull(accessCodes.passId),
      ),
    );
  const names = new Set(unused.map(({ name }) => normaliseServerName(name)));
  await changeServers(tx, toolId, (server) =>
    names.has(normaliseServerName(server.name)) ? { ...server, perBuyer: true } : server,
  );
}

/**
 * The owner chooses one code for all buyers of a server. It may have no code for one buyer left: neither an unused one
 * nor the code of a running pass.
 *
 * @throws DomainError 'server-has-codes-per-buyer'
 */
export async function endOneForEachBuyer(ctx: Context, tx: Transaction, server: OneServer): Promise<void> {
  if (!(await isServerPerBuyer(tx, server))) return;
  const isLeft = sql`${accessCodes.perBuyer} and ${accessCodes.isActive} and (${accessCodes.passId} is null or exists (
    select 1 from ${userPurchases} where ${userPurchases.id} = ${accessCodes.passId} and ${isHeldOrRunning(ctx)}
  ))`;
  if ((await tx.$count(accessCodes, and(isOfServer(server), isLeft))) > 0)
    throw new DomainError("server-has-codes-per-buyer");
  await changeServers(tx, server.toolId, ({ perBuyer, ...rest }) =>
    perBuyer && normaliseServerName(rest.name) !== normaliseServerName(server.serverName)
      ? { ...rest, perBuyer }
      : rest,
  );
}

async function changeServers(
  tx: Transaction,
  toolId: string,
  change: (server: ToolServer) => ToolServer,
): Promise<void> {
  const before = (await selectServers(tx, toolId)) ?? [];
  const servers = before.map(change);
  if (servers.every(({ perBuyer }, at) => perBuyer === before[at]?.perBuyer)) return;
  await tx.update(tools).set({ servers }).where(eq(tools.id, toolId));
  changed(tx, tools);
}
