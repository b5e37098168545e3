import { and, asc, eq, isNotNull, isNull, or, type SQL, sql } from "drizzle-orm";
import { z } from "zod";
import type { Executor } from "#db/database.ts";
import { tools } from "#db/tables/catalog.ts";
import { settings } from "#db/tables/operations.ts";
import { credentials } from "#db/tables/vault.ts";
import { changed, inTransaction } from "#db/transaction.ts";
import { recordAudit } from "../audit/record-audit.server.ts";
import { requireSignedIn, requireSystem } from "../authorise.ts";
import { matchCredential } from "../catalog/on-sale.server.ts";
import type { Context } from "../context.ts";
import { DomainError } from "../errors.ts";
import { queueOwnerMail } from "../mail/queue-mail.server.ts";
import { parseInput, type UntrustedInput } from "../parse.ts";
import { isPageInUse, requirePageAccess } from "../passes/access.server.ts";
import { openPassword, secretVersion } from "../vault/seal-secrets.ts";
import { type CredentialChoice, offersCredential } from "./rules.ts";

/**
 * The sign-in that a tool's page offers; null when the tool has none. The version changes with the e-mail address and the
 * password, and is null while no credential is found.
 */
export async function readToolCredential(
  executor: Executor,
  tool: CredentialChoice,
): Promise<{ version: string | null } | null> {
  if (!offersCredential(tool)) return null;
  const { credential } = await findToolCredential(executor, tool);
  if (credential === null) return { version: null };
  return { version: secretVersion({ id: credential.id, changedAt: credential.signInChangedAt }) };
}

const inputSchema = z.object({ page: z.string().min(1).max(80), field: z.enum(["email", "password"]) });

/**
 * The e-mail address or the password that a tool page offers. Checks the access again, because a page can stay open in the
 * browser after its pass has expired. Audited, without the value.
 *
 * @returns also the version of the sign-in, which the tool page has too
 * @throws DomainError 'unauthenticated', 'password-needed', 'user-disabled', 'invalid-input', 'reveals-too-fast', 'not-found'
 *   (no such page), 'access-required', 'credential-not-found' with { tool: its name }
 */
export async function revealToolCredential(
  ctx: Context,
  input: { page: string; field: "email" | "password" } | UntrustedInput,
): Promise<{ value: string; version: string }> {
  requireSignedIn(ctx, "reveals-secret");
  const { userId } = ctx.actor;
  const { page, field } = parseInput(inputSchema, input);
  await ctx.ports.rateLimiter.consume("reveal-account", userId);
  return inTransaction(ctx.db, async (tx) => {
    const { tool } = await requirePageAccess(ctx, tx, page);
    const { credential: found } = await findToolCredential(tx, tool);
    if (found === null) throw new DomainError("credential-not-found", { tool: tool.name });
    const value = field === "email" ? found.email : openPassword(ctx.ports.cipher, found);
    await recordAudit(ctx, tx, {
      action: "credential.revealed",
      subjectType: "credential",
      subjectId: found.id,
      details: { service: found.service, page, field },
    });
    return { value, version: secretVersion({ id: found.id, changedAt: found.signInChangedAt }) };
  });
}

/**
 * The active credential that a tool's page offers, sealed: the tool's own, else the credential with the service's exact name,
 * else the only credential whose name is a part of the service's name or contains it. Null without any, and when several fit
 * equally.
 */
export async function findToolCredential(
  executor: Executor,
  { credentialId, credentialService }: CredentialChoice,
): Promise<{ credential: typeof credentials.$inferSelect | null; isAmbiguous: boolean }> {
  const { fits, rank } = matchCredential({
    credentialId: sql`${credentialId}::uuid`,
    credentialService: sql`${credentialService}::text`,
  });
  const [first, second] = await executor
    .select({ credential: credentials, rank })
    .from(credentials)
    .where(fits)
    .orderBy(rank)
    .limit(2);
  const isAmbiguous = first !== undefined && first.rank === second?.rank;
  return { credential: isAmbiguous ? null : (first?.credential ?? null), isAmbiguous };
}

/** A tool whose page offers a credential and gives none. */
export interface ToolWithoutCredential {
  toolId: string;
  toolName: string;
  slug: string;
  /** null: an inactive credential of its own, which comes before its service. */
  service: string | null;
  /** Several credentials fit, so that none is given. */
  isAmbiguous: boolean;
}

const IS_ACTIVE = and(eq(tools.isActive, true), isNull(tools.deletedAt));

/**
 * The tools, by default the active ones, ready or not, whose page offers a credential that is not found.
 */
export async function findToolsWithoutCredential(
  executor: Executor,
  which: SQL | undefined = IS_ACTIVE,
): Promise<ToolWithoutCredential[]> {
  const offering = await executor
    .select({
      toolId: tools.id,
      toolName: tools.name,
      slug: tools.slug,
      credentialId: tools.credentialId,
      credentialService: tools.credentialService,
    })
    .from(tools)
    .where(and(which, or(isNotNull(tools.credentialId), isNotNull(tools.credentialService))))
    .orderBy(asc(tools.name), asc(tools.id));
  const found = new Map<string, ReturnType<typeof findToolCredential>>();
  const without: ToolWithoutCredential[] = [];
  for (const { toolId, toolName, slug, ...choice } of offering) {
    const key = `${choice.credentialId} ${choice.credentialService}`;
    const search = found.get(key) ?? findToolCredential(executor, choice);
    found.set(key, search);
    const { credential, isAmbiguous } = await search;
    const service = choice.credentialId === null ? choice.credentialService : null;
    if (credential === null) without.push({ toolId, toolName, slug, service, isAmbiguous });
  }
  return without;
}

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
