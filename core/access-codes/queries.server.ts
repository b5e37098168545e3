import { and, desc, eq, inArray, or, sql } from "drizzle-orm";
import type { Executor } from "#db/database.ts";
import { accessCodes } from "#db/tables/vault.ts";

/** Owners type a server's name by hand: case and outer spaces do not count. */
const sameServer = (name: string) =>
  eq(sql`lower(btrim(${accessCodes.serverName}))`, sql`lower(btrim(${name}))`);

/** The newest active code of one server, sealed; null when it has none. */
export async function findActiveCode(executor: Executor, toolId: string, serverName: string) {
  const [code] = await executor
    .select({ id: accessCodes.id, simpleCodeSealed: accessCodes.simpleCodeSealed })
    .from(accessCodes)
    .where(and(eq(accessCodes.toolId, toolId), eq(accessCodes.isActive, true), sameServer(serverName)))
    .orderBy(desc(accessCodes.createdAt), desc(accessCodes.id))
    .limit(1);
  return code ?? null;
}

/** Names of the tool's servers that have an active code. */
export async function listCodedServerNames(executor: Executor, toolId: string): Promise<string[]> {
  const rows = await executor
    .selectDistinct({ serverName: accessCodes.serverName })
    .from(accessCodes)
    .where(and(eq(accessCodes.toolId, toolId), eq(accessCodes.isActive, true)));
  return rows.map(({ serverName }) => serverName);
}

/** The server an active code of the tool belongs to, found by the hash of either of its codes. */
export async function findServerNameByHash(
  executor: Executor,
  toolId: string,
  hashes: string[],
): Promise<string | null> {
  const [code] = await executor
    .select({ serverName: accessCodes.serverName })
    .from(accessCodes)
    .where(
      and(
        eq(accessCodes.toolId, toolId),
        eq(accessCodes.isActive, true),
        or(inArray(accessCodes.simpleCodeHash, hashes), inArray(accessCodes.sessionCodeHash, hashes)),
      ),
    )
    .orderBy(desc(accessCodes.createdAt), desc(accessCodes.id))
    .limit(1);
  return code?.serverName ?? null;
}
