import { and, asc, eq, gt, inArray, isNull, sql } from "drizzle-orm";
import type { Executor, Transaction } from "#db/database.ts";
import { lockEdits } from "#db/edit-lock.ts";
import { tools } from "#db/tables/catalog.ts";
import { accessCodes } from "#db/tables/vault.ts";
import { changed, inTransaction } from "#db/transaction.ts";
import { requireSystem } from "../authorise.ts";
import type { Context } from "../context.ts";
import { hashSimpleCode, openSimpleCode } from "../vault/seal-secrets.ts";

const CODES_AT_ONCE = 500;

/** Ids are greater. */
const FIRST_ID = "00000000-0000-0000-0000-000000000000";

/**
 * Gives the simple codes that an older version has stored the hash by which they are found in any case. Each part is one
 * transaction, so a start that is killed leaves the rest to the next one. All codes stay, also when they differ only in case.
 *
 * @throws DomainError 'forbidden'
 */
export async function keySimpleCodes(ctx: Context): Promise<void> {
  requireSystem(ctx);
  let after = FIRST_ID;
  // Without any, the start does not wait for an admin's edit.
  while ((await selectWithoutKey(ctx.db, after).limit(1)).length > 0)
    after = await inTransaction(ctx.db, (tx) => keyNextCodes(ctx, tx, after));
}

const selectWithoutKey = (executor: Executor, after: string) =>
  executor
    .select({ id: accessCodes.id, simpleCodeSealed: accessCodes.simpleCodeSealed })
    .from(accessCodes)
    .where(and(isNull(accessCodes.simpleCodeKey), gt(accessCodes.id, after)))
    .orderBy(asc(accessCodes.id));

/** @returns the last id that it has read */
async function keyNextCodes(ctx: Context, tx: Transaction, after: string): Promise<string> {
  await lockEdits(tx);
  const rows = await selectWithoutKey(tx, after).limit(CODES_AT_ONCE);
  const keyed = rows.flatMap((row) => {
    const code = openIfIntact(ctx, row);
    return code === null ? [] : [{ id: row.id, key: hashSimpleCode(ctx.ports.cipher, code).simpleCodeKey }];
  });
  await tx.execute(sql`
    update ${accessCodes} set simple_code_key = given.key, simple_code_twin = given.place + (
      select coalesce(max(same.simple_code_twin) + 1, 0) from ${accessCodes} same where same.simple_code_key = given.key)
    from (select id, key, (row_number() over (partition by key order by id) - 1)::int as place
      from json_to_recordset(${JSON.stringify(keyed)}::json) as code (id uuid, key text)) given
    where ${accessCodes.id} = given.id`);
  changed(tx, accessCodes);
  return rows.at(-1)?.id ?? after;
}

/** One damaged row must not keep the shop from starting. */
function openIfIntact({ ports, log }: Context, row: { id: string; simpleCodeSealed: string }): string | null {
  try {
    return openSimpleCode(ports.cipher, row);
  } catch (error) {
    log.warn({ err: error, accessCodeId: row.id }, "a simple code cannot be opened");
    return null;
  }
}

/**
 * The codes that differ only in case from another code, which only an older version has stored, in groups.
 */
export function findCodesAlike(
  executor: Executor,
): Promise<{ accessCodeId: string; toolName: string; serverName: string }[]> {
  const { simpleCodeKey } = accessCodes;
  const repeated = executor
    .select({ key: simpleCodeKey })
    .from(accessCodes)
    .groupBy(simpleCodeKey)
    .having(sql`count(*) > 1`);
  return executor
    .select({ accessCodeId: accessCodes.id, toolName: tools.name, serverName: accessCodes.serverName })
    .from(accessCodes)
    .innerJoin(tools, eq(tools.id, accessCodes.toolId))
    .where(inArray(simpleCodeKey, repeated))
    .orderBy(asc(simpleCodeKey), asc(accessCodes.id));
}
