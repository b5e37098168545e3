import { and, asc, eq, isNull, or } from "drizzle-orm";
import { z } from "zod";
import type { Executor } from "#db/database.ts";
import { type ToolServer, tools } from "#db/tables/catalog.ts";
import { accessCodes } from "#db/tables/vault.ts";
import { requireSignedIn } from "../authorise.ts";
import { findServerByName } from "../catalog/stock.server.ts";
import type { Context } from "../context.ts";
import { type CredentialChoice, offersCredential } from "../credentials/rules.ts";
import { isDomainError } from "../errors.ts";
import { parseInput } from "../parse.ts";
import { type GrantedAccess, type PageTool, readPageAccess } from "../passes/access.server.ts";
import { hashSimpleCode } from "../vault/seal-secrets.ts";
import {
  asTypedFirst,
  findServerNameByHash,
  hasSimpleCode,
  isActiveCodeOfAnyTool,
  listServersWithUnusedCode,
  listSharedCodes,
  listTakenCodes,
} from "./queries.server.ts";

/** The code that a server of a tool has now for one account. */
interface ServerCode {
  accessCodeId: string;
  codeChangedAt: Date;
}

/**
 * The servers that the page of a tool lists, the only one of a tool with a shared sign-in left out when it has no address and
 * never had a code: the sign-in is all that its pass opens.
 */
export async function selectListedServers(executor: Executor, tool: PageTool): Promise<ToolServer[]> {
  if (!isPerhapsUnused(tool)) return tool.servers;
  return (await executor.$count(accessCodes, eq(accessCodes.toolId, tool.id))) === 0 ? [] : tool.servers;
}

/** Whether a tool needs no server as far as the tool itself says; it must have no code either. */
function isPerhapsUnused({ servers, ...tool }: Pick<PageTool, "servers"> & CredentialChoice): boolean {
  return (
    offersCredential(tool) && servers.length <= 1 && servers.every(({ url, perBuyer }) => !url && !perBuyer)
  );
}

/**
 * The code of each server of a tool for the actor, by the id of the server, without the codes themselves: the newest active code,
 * or the code that the actor's pass has taken. 'untaken': a code is left for the first reveal. A server without a code is left
 * out.
 */
export async function listServerCodes(
  executor: Executor,
  { tool, passIds }: Pick<GrantedAccess, "tool" | "passIds">,
): Promise<ReadonlyMap<string, ServerCode | "untaken">> {
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
  if (passIds.length === 0) for (const id of perBuyer) found.delete(id);
  keep(await listTakenCodes(executor, tool.id, passIds), (id) => perBuyer.has(id));
  return found;
}

/** The record of an access code: which server of which tool it is for. */
interface FoundCode {
  id: string;
  toolId: string;
  /** The slug of the tool and its page. */
  toolSlug: string;
  serverId: string;
  /** Only the buyer of the pass that has taken the code may use it. */
  perBuyer: boolean;
  passId: string | null;
}

/**
 * The active record of an access code, simple or session; null for an unknown code and for a code whose server is gone. It
 * grants nothing: the caller checks the access to the tool's page.
 */
export async function findActiveCodeByText(
  ctx: Context,
  executor: Executor,
  code: string,
): Promise<FoundCode | null> {
  const { cipher } = ctx.ports;
  const simple = hashSimpleCode(cipher, code);
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
        or(hasSimpleCode(simple), eq(accessCodes.sessionCodeHash, cipher.lookupHash(code))),
      ),
    )
    .orderBy(asTypedFirst(simple))
    .limit(1);
  const server = found && findServerByName(found.servers, found.serverName);
  if (!found || !server) return null;
  const { id, toolId, toolSlug, perBuyer, passId } = found;
  return { id, toolId, toolSlug, serverId: server.id, perBuyer, passId };
}

/** A longer code is not one of the shop's, so it is compared like any other that does not exist. */
const linkCode = z
  .string()
  .nullable()
  .transform((text) => text || null);

const inputSchema = z.object({
  page: z.string().min(1).max(80),
  accessCode: linkCode,
  sessionCode: linkCode,
});

/** What the codes of a link are. */
export interface FoundByCode {
  /** null: of no server of the page. */
  serverId: string | null;
  isOfOtherTool: boolean;
}

const NOTHING: FoundByCode = { serverId: null, isOfOtherTool: false };

/**
 * Finds the server that an access code belongs to, by its simple code, its session code, or both, which must be of one
 * row; or says that they belong to another tool. A code for one buyer is found only by its own buyer and by an admin,
 * so that nobody can confirm a guess. Finds nothing for other codes, and for an actor who may not use the page: a code
 * never opens a page. Guesses at the codes of other tools count as reveals: over the limit, nothing is said about them.
 *
 * @throws DomainError 'unauthenticated', 'user-disabled', 'not-found'
 */
export async function findServerByCode(
  ctx: Context,
  input: { page: string; accessCode: string | null; sessionCode: string | null },
): Promise<FoundByCode> {
  requireSignedIn(ctx, "reads");
  const { userId, kind } = ctx.actor;
  const { page, accessCode, sessionCode } = parseInput(inputSchema, input);
  const found = await readPageAccess(ctx, ctx.db, page);
  if (found.access === "required") return NOTHING;
  const { tool, passIds } = found;
  const { cipher } = ctx.ports;
  const hashes = {
    simple: accessCode === null ? null : hashSimpleCode(cipher, accessCode),
    session: sessionCode === null ? null : cipher.lookupHash(sessionCode),
  };
  const holder = kind === "admin" ? "anybody" : passIds;
  const name = await findServerNameByHash(ctx.db, tool.id, { ...hashes, holder });
  if (name !== null) return { ...NOTHING, serverId: findServerByName(tool.servers, name)?.id ?? null };
  try {
    await ctx.ports.rateLimiter.consume("reveal-account", userId);
  } catch (error) {
    if (isDomainError(error, "reveals-too-fast")) return NOTHING;
    throw error;
  }
  return { ...NOTHING, isOfOtherTool: await isActiveCodeOfAnyTool(ctx.db, hashes) };
}

/**
 * Active tools, ready or not, with the names of those servers that have no active code. A tool without servers needs none, nor
 * does one that has only a shared sign-in (`selectListedServers`).
 */
export async function findServersWithoutCode(
  executor: Executor,
): Promise<{ toolId: string; toolName: string; servers: string[] }[]> {
  const active = await executor
    .select({
      toolId: tools.id,
      toolName: tools.name,
      servers: tools.servers,
      credentialId: tools.credentialId,
      credentialService: tools.credentialService,
    })
    .from(tools)
    .where(and(eq(tools.isActive, true), isNull(tools.deletedAt)))
    .orderBy(asc(tools.name), asc(tools.id));
  const { toolId, serverName, isActive } = accessCodes;
  const codes = await executor.selectDistinct({ toolId, serverName, isActive }).from(accessCodes);
  const codesByTool = Map.groupBy(codes, (code) => code.toolId);
  return active.flatMap(({ toolId, toolName, ...tool }) => {
    const { servers } = tool;
    const known = codesByTool.get(toolId) ?? [];
    if (known.length === 0 && isPerhapsUnused(tool)) return [];
    const names = known.flatMap((code) => (code.isActive ? [code.serverName] : []));
    const served = new Set(names.flatMap((name) => findServerByName(servers, name)?.id ?? []));
    const without = servers.filter(({ id }) => !served.has(id)).map(({ name }) => name);
    return without.length === 0 ? [] : [{ toolId, toolName, servers: without }];
  });
}
