import { and, desc, eq, inArray, isNull, ne, or } from "drizzle-orm";
import type { Executor, Transaction } from "#db/database.ts";
import { tools } from "#db/tables/catalog.ts";
import { accessCodes } from "#db/tables/vault.ts";
import { serverOf } from "../catalog/stock.server.ts";
import type { SimpleCodeHashes } from "../vault/seal-secrets.ts";

export const hasServerName = (name: string) => eq(serverOf(accessCodes.serverName), serverOf(name));

/** The codes that are this simple code in any case. */
export const hasSimpleCode = ({ simpleCodeHash, simpleCodeKey }: SimpleCodeHashes) =>
  or(eq(accessCodes.simpleCodeKey, simpleCodeKey), eq(accessCodes.simpleCodeHash, simpleCodeHash));

/** The order in which a code is found as it is typed before one that differs only in case. */
export const asTypedFirst = ({ simpleCodeHash }: SimpleCodeHashes) =>
  desc(eq(accessCodes.simpleCodeHash, simpleCodeHash));

/** The newest active code of one server that is for all buyers, sealed; null when it has none. */
export async function findActiveCode(executor: Executor, toolId: string, serverName: string) {
  const [code] = await executor
    .select({
      id: accessCodes.id,
      simpleCodeSealed: accessCodes.simpleCodeSealed,
      codeChangedAt: accessCodes.codeChangedAt,
    })
    .from(accessCodes)
    .where(
      and(
        eq(accessCodes.toolId, toolId),
        eq(accessCodes.isActive, true),
        eq(accessCodes.perBuyer, false),
        hasServerName(serverName),
      ),
    )
    .orderBy(desc(accessCodes.createdAt), desc(accessCodes.id))
    .limit(1);
  return code ?? null;
}

/** The active codes of a tool for all buyers, newest first, without the codes themselves. */
export async function listSharedCodes(executor: Executor, toolId: string) {
  return executor
    .select({
      id: accessCodes.id,
      serverName: accessCodes.serverName,
      codeChangedAt: accessCodes.codeChangedAt,
    })
    .from(accessCodes)
    .where(
      and(eq(accessCodes.toolId, toolId), eq(accessCodes.isActive, true), eq(accessCodes.perBuyer, false)),
    )
    .orderBy(desc(accessCodes.createdAt), desc(accessCodes.id));
}

/** The names of those servers of a tool that have an unused code for one buyer. */
export async function listServersWithUnusedCode(executor: Executor, toolId: string) {
  return executor
    .selectDistinct({ serverName: accessCodes.serverName })
    .from(accessCodes)
    .where(
      and(
        eq(accessCodes.toolId, toolId),
        eq(accessCodes.perBuyer, true),
        eq(accessCodes.isActive, true),
        isNull(accessCodes.passId),
      ),
    );
}

/** The active codes of a tool that one of these passes has taken, the last one first. */
export async function listTakenCodes(executor: Executor, toolId: string, passIds: string[]) {
  if (passIds.length === 0) return [];
  return executor
    .select({
      id: accessCodes.id,
      serverName: accessCodes.serverName,
      codeChangedAt: accessCodes.codeChangedAt,
    })
    .from(accessCodes)
    .where(
      and(
        eq(accessCodes.toolId, toolId),
        eq(accessCodes.isActive, true),
        inArray(accessCodes.passId, passIds),
      ),
    )
    .orderBy(desc(accessCodes.takenAt), desc(accessCodes.id));
}

/** The hashes of the codes of a link. */
export interface LinkHashes {
  simple: SimpleCodeHashes | null;
  session: string | null;
}

/**
 * The name of the server with an active code of these hashes: one row has all that are given. Null without any. A code for one
 * buyer is found only if a pass of `holder` has taken it.
 */
export async function findServerNameByHash(
  executor: Executor,
  toolId: string,
  { simple, session, holder }: LinkHashes & { holder: string[] | "anybody" },
): Promise<string | null> {
  if (simple === null && session === null) return null;
  const [code] = await executor
    .select({ serverName: accessCodes.serverName })
    .from(accessCodes)
    .where(
      and(
        eq(accessCodes.toolId, toolId),
        eq(accessCodes.isActive, true),
        simple === null ? undefined : hasSimpleCode(simple),
        session === null ? undefined : eq(accessCodes.sessionCodeHash, session),
        holder === "anybody"
          ? undefined
          : or(eq(accessCodes.perBuyer, false), inArray(accessCodes.passId, holder)),
      ),
    )
    .orderBy(
      ...(simple === null ? [] : [asTypedFirst(simple)]),
      desc(accessCodes.createdAt),
      desc(accessCodes.id),
    )
    .limit(1);
  return code?.serverName ?? null;
}

/** Whether a tool has an active code for all buyers of these hashes: one row has all that are given. */
export async function isActiveCodeOfAnyTool(
  executor: Executor,
  { simple, session }: LinkHashes,
): Promise<boolean> {
  if (simple === null && session === null) return false;
  const isGiven = and(
    eq(accessCodes.isActive, true),
    eq(accessCodes.perBuyer, false),
    simple === null ? undefined : hasSimpleCode(simple),
    session === null ? undefined : eq(accessCodes.sessionCodeHash, session),
  );
  return (await executor.$count(accessCodes, isGiven)) > 0;
}

/** A row with its sealed codes, locked until the end of the transaction; null when there is none. */
export async function lockAccessCode(tx: Transaction, id: string) {
  const [code] = await tx.select().from(accessCodes).where(eq(accessCodes.id, id)).for("update");
  return code ?? null;
}

/** Finds the rows that have one of these simple codes in any case. `exceptId` is not counted. */
export async function findTakenCodes(
  executor: Executor,
  codes: readonly SimpleCodeHashes[],
  exceptId?: string,
) {
  return executor
    .select({ simpleCodeHash: accessCodes.simpleCodeHash, simpleCodeKey: accessCodes.simpleCodeKey })
    .from(accessCodes)
    .where(
      and(
        or(
          inArray(
            accessCodes.simpleCodeKey,
            codes.map(({ simpleCodeKey }) => simpleCodeKey),
          ),
          inArray(
            accessCodes.simpleCodeHash,
            codes.map(({ simpleCodeHash }) => simpleCodeHash),
          ),
        ),
        exceptId === undefined ? undefined : ne(accessCodes.id, exceptId),
      ),
    );
}

/** The name of a tool that is not deleted; null if there is none. */
export async function selectToolName(executor: Executor, toolId: string): Promise<string | null> {
  const [tool] = await executor
    .select({ name: tools.name })
    .from(tools)
    .where(and(eq(tools.id, toolId), isNull(tools.deletedAt)));
  return tool?.name ?? null;
}

/** Whether the pass of a code has another active code of its server. */
export async function hasOtherCode(
  executor: Executor,
  { id, toolId, serverName }: { id: string; toolId: string; serverName: string },
  passId: string,
): Promise<boolean> {
  const other = and(
    eq(accessCodes.passId, passId),
    eq(accessCodes.toolId, toolId),
    eq(accessCodes.isActive, true),
    hasServerName(serverName),
    ne(accessCodes.id, id),
  );
  return (await executor.$count(accessCodes, other)) > 0;
}
