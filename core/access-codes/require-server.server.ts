import { isNull } from "drizzle-orm";
import type { Transaction } from "#db/database.ts";
import { tools } from "#db/tables/catalog.ts";
import { selectServers } from "../catalog/server-kinds.server.ts";
import { DomainError, InvalidInputError } from "../errors.ts";
import { findServerByName } from "./queries.server.ts";

/**
 * The name of the server of a tool as the tool has it: a code of another name would reach nobody. A tool without servers,
 * which only the database can make, has none to choose from.
 *
 * @throws InvalidInputError for a name that no server of the tool has; DomainError 'tool-not-found'
 */
export async function requireServer(
  tx: Transaction,
  { toolId, serverName }: { toolId: string; serverName: string },
): Promise<string> {
  const servers = await selectServers(tx, toolId, isNull(tools.deletedAt));
  if (servers === null) throw new DomainError("tool-not-found");
  if (servers.length === 0) return serverName;
  const server = findServerByName(servers, serverName);
  if (server === undefined) throw new InvalidInputError({ serverName: ["Choose a server of this tool."] });
  return server.name;
}
