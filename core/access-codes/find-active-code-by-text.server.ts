import { and, eq, or } from "drizzle-orm";
import type { Executor } from "#db/database.ts";
import { tools } from "#db/tables/catalog.ts";
import { accessCodes } from "#db/tables/vault.ts";
import type { Context } from "../context.ts";
import { findServerByName } from "./queries.server.ts";

/** The record of an access code: which server of which tool it is for. */
export interface FoundCode {
  id: string;
  toolId: string;
  /** Of the tool and its page. */
  toolSlug: string;
  serverId: string;
  /** Only the buyer of the pass that has taken the code may use it. */
  perBuyer: boolean;
  passId: string | null;
}

/**
 * The active record of an access code, simple or session; null for an unknown code and for one whose server is gone. It
 * grants nothing: the caller authorises, and checks the access to the tool's page.
 */
export async function findActiveCodeByText(
  ctx: Context,
  executor: Executor,
  code: string,
): Promise<FoundCode | null> {
  const hash = ctx.ports.cipher.lookupHash(code);
  const [found] = await executor
    .select({
      id: accessCodes.id,
      toolId: accessCodes.toolId,
      serverName: accessCodes.serverName,
      perBuyer: accessCodes.perBuyer,
      passId: accessCodes.passId,
      toolSlug: tools.slug,
      servers: tools.servers,
    })
    .from(accessCodes)
    .innerJoin(tools, eq(tools.id, accessCodes.toolId))
    .where(
      and(
        eq(accessCodes.isActive, true),
        or(eq(accessCodes.simpleCodeHash, hash), eq(accessCodes.sessionCodeHash, hash)),
      ),
    )
    .limit(1);
  const server = found && findServerByName(found.servers, found.serverName);
  if (!found || !server) return null;
  const { id, toolId, toolSlug, perBuyer, passId } = found;
  return { id, toolId, toolSlug, serverId: server.id, perBuyer, passId };
}
