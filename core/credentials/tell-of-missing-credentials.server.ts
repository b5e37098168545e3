import { eq, isNull } from "drizzle-orm";
import { z } from "zod";
import type { Executor } from "#db/database.ts";
import { tools } from "#db/tables/catalog.ts";
import { settings } from "#db/tables/operations.ts";
import { changed, inTransaction } from "#db/transaction.ts";
import { requireSystem } from "../authorise.ts";
import type { Context } from "../context.ts";
import { isPageInUse } from "../passes/access.server.ts";
import { queueOwnerMail } from "../mail/queue-mail.server.ts";
import {
  findToolsWithoutCredential,
  type ToolWithoutCredential,
} from "./find-tools-without-credential.server.ts";

/** The setting with the ids of the tools that the owner was told about, and that are not fixed yet. */
const TOLD_KEY = "told-of-missing-credentials";

/**
 * Mails the owner about each tool with an active pass whose page offers a credential and gives none: once, and again only
 * after it was fixed in the meantime.
 *
 * @throws DomainError forbidden
 */
export async function tellOfMissingCredentials(ctx: Context): Promise<void> {
  requireSystem(ctx);
  const missing = await findMissing(ctx, ctx.db);
  const isSame = isSameSet(await selectTold(ctx.db), idsOf(missing));
  if (isSame) return;
  await inTransaction(ctx.db, async (tx) => {
    await tx.insert(settings).values({ key: TOLD_KEY, value: [] }).onConflictDoNothing();
    changed(tx, settings);
    // Locked, because two processes may run the job.
    const told = new Set(await selectTold(tx, "locked"));
    const now = await findMissing(ctx, tx);
    for (const { toolId, toolName, isAmbiguous } of now) {
      if (told.has(toolId)) continue;
      const adminUrl = `${ctx.store.origin}/admin/credentials`;
      await queueOwnerMail(ctx, tx, {
        kind: "credential-missing",
        facts: { toolName, isAmbiguous, adminUrl },
      });
    }
    await tx
      .update(settings)
      .set({ value: idsOf(now), updatedAt: ctx.clock.now() })
      .where(eq(settings.key, TOLD_KEY));
    changed(tx, settings);
  });
}

const idsOf = (missing: readonly { toolId: string }[]) => missing.map(({ toolId }) => toolId);

const isSameSet = (one: readonly string[], other: readonly string[]) =>
  one.length === other.length && new Set([...one, ...other]).size === one.length;

/** Tools that were taken off sale are among them: their passes go on. */
async function findMissing(ctx: Context, executor: Executor) {
  const missing: ToolWithoutCredential[] = [];
  for (const tool of await findToolsWithoutCredential(executor, isNull(tools.deletedAt))) {
    if (await isPageInUse(ctx, executor, { id: tool.toolId, slug: tool.slug })) missing.push(tool);
  }
  return missing;
}

async function selectTold(executor: Executor, lock?: "locked"): Promise<string[]> {
  const query = executor.select({ value: settings.value }).from(settings).where(eq(settings.key, TOLD_KEY));
  const [stored] = await (lock === undefined ? query : query.for("update"));
  return z.array(z.string()).catch([]).parse(stored?.value);
}
