import { and, asc, eq, isNotNull, isNull, sql } from "drizzle-orm";
import type { Executor, Transaction } from "#db/database.ts";
import { tools } from "#db/tables/catalog.ts";
import { credentials } from "#db/tables/vault.ts";
import { changed } from "#db/transaction.ts";
import { recordAudit } from "../audit/record-audit.server.ts";
import type { Context } from "../context.ts";
import { findCredentialToKeep } from "./kept-credentials.ts";
import { lockTools } from "./stock.server.ts";

/** All credentials without their passwords, the oldest first. */
export function selectCredentialsOfServices(executor: Executor) {
  const { id, service, email, isActive } = credentials;
  return executor
    .select({ id, service, email, isActive })
    .from(credentials)
    .orderBy(asc(credentials.createdAt), asc(credentials.id));
}

/** The tools that find their credential by its service, also deleted ones: their passes go on. */
export function selectToolsByService(executor: Executor) {
  const { id, name, credentialId, credentialService, deletedAt } = tools;
  return executor
    .select({ id, name, credentialId, credentialService, deletedAt })
    .from(tools)
    .where(and(isNull(tools.credentialId), isNotNull(tools.credentialService)))
    .orderBy(asc(tools.name), asc(tools.id));
}

type Credential = Awaited<ReturnType<typeof selectCredentialsOfServices>>[number];

/** A tool, and the credential that it has to name as its own. */
interface KeptCredential {
  tool: { id: string; name: string };
  credential: Credential;
}

/** The tools whose buyers would otherwise lose their sign-in. `before`, `after`: as `findCredentialToKeep` takes them. */
export async function findKeptCredentials(
  executor: Executor,
  before: readonly Credential[],
  after: readonly Credential[],
): Promise<KeptCredential[]> {
  return (await selectToolsByService(executor)).flatMap((tool) => {
    const credential = findCredentialToKeep(tool, before, after);
    return credential === null ? [] : [{ tool, credential }];
  });
}

/**
 * After a change of credentials: each tool whose buyers would lose the sign-in that they get, because another credential now fits
 * as well or better, names it as its own until the owner chooses another one. The caller has taken the lock of edits before it
 * read `before`.
 *
 * @param before what `selectCredentialsOfServices` returned before the change
 */
export async function keepCredentialsInUse(
  ctx: Context,
  tx: Transaction,
  before: readonly Credential[],
): Promise<void> {
  const now = await selectCredentialsOfServices(tx);
  const known = new Set(before.map(({ id }) => id));
  const after = [...now.filter(({ id }) => known.has(id)), ...now.filter(({ id }) => !known.has(id))];
  await saveKeptCredentials(ctx, tx, await findKeptCredentials(tx, before, after));
}

/** The version of each tool grows, so that an open form of it does not take the choice back. The caller has the lock of edits. */
export async function saveKeptCredentials(
  ctx: Context,
  tx: Transaction,
  kept: readonly KeptCredential[],
): Promise<void> {
  await lockTools(
    tx,
    kept.map(({ tool }) => tool.id),
  );
  for (const { tool, credential } of kept) {
    await tx
      .update(tools)
      .set({
        credentialId: credential.id,
        version: sql`${tools.version} + 1`,
        updatedAt: ctx.clock.now(),
      })
      .where(eq(tools.id, tool.id));
    changed(tx, tools);
    await recordAudit(ctx, tx, {
      action: "tool.updated",
      subjectType: "tool",
      subjectId: tool.id,
      details: { before: { credentialId: null }, after: { credentialId: credential.id } },
    });
  }
}
