import { eq, type SQL, sql } from "drizzle-orm";
import { uuidv7 } from "uuidv7";
import type { z } from "zod";
import type { Transaction } from "#db/database.ts";
import { lockEdits } from "#db/edit-lock.ts";
import { tools } from "#db/tables/catalog.ts";
import { credentials } from "#db/tables/vault.ts";
import { changed, inTransaction } from "#db/transaction.ts";
import { changedFields, recordAudit } from "../../audit/record-audit.server.ts";
import { requireAdmin } from "../../authorise.ts";
import type { Context } from "../../context.ts";
import { DomainError, InvalidInputError } from "../../errors.ts";
import { parseInput, type UntrustedInput } from "../../parse.ts";
import { joinImportedPurchases } from "../join-imported-purchases.server.ts";
import { SERVICES } from "../limits.ts";
import { deleteUnusedLogo, saveLogo } from "../logos/tool-logos.server.ts";
import { markServersPerBuyer } from "../server-kinds.server.ts";
import { changedStock, recountStock } from "../stock.server.ts";
import {
  countTools,
  isToolNameTaken,
  lockTool,
  type PageGrants,
  renameServersOfCodes,
  savePageGrants,
  selectPageGrants,
  selectServerIds,
  selectSlugs,
} from "./queries.server.ts";
import {
  CREDENTIAL,
  createToolSchema,
  deleteToolSchema,
  SERVICE,
  sellWhenNotReadySchema,
  updateToolSchema,
} from "./schemas.ts";
import { assignServerIds, findRenamedServers, makeToolSlug, toToolRecord } from "./tool-record.ts";

const NO_GRANTS: PageGrants = { pageNames: [], pageToolIds: [] };

/**
 * Adds a tool, and joins it with imported purchases of its name. Its slug is made from its name and never changes.
 * Of several prices, all are its pricing options, and the cheapest is its own price as well.
 *
 * @throws DomainError 'unauthenticated', 'forbidden', 'password-needed', 'invalid-input', 'tool-name-taken', 'tool-not-found'
 *   (one of `pageToolIds`)
 */
export async function createTool(
  ctx: Context,
  input: z.input<typeof createToolSchema> | UntrustedInput,
): Promise<{ id: string; slug: string; name: string }> {
  requireAdmin(ctx, "changes-shop");
  const { pageNames, pageToolIds, logoFile, removeLogo, ...tool } = parseInput(createToolSchema, input);
  const grants = { pageNames, pageToolIds };
  return inTransaction(ctx.db, async (tx) => {
    await lockEdits(tx);
    if (await isToolNameTaken(tx, tool.name)) throw new DomainError("tool-name-taken");
    await requireTools(tx, pageToolIds);
    await requireCredential(tx, tool);
    const slugs = await selectSlugs(tx);
    const serverIds = await selectServerIds(tx);
    const id = uuidv7();
    const slug = makeToolSlug(tool.name, (candidate) => slugs.has(candidate));
    const servers = assignServerIds(slug, tool, [], (candidate) => serverIds.has(candidate));
    const logo = await saveLogo(ctx, tx, { logoFile, removeLogo }, null);
    const row = { ...tool, servers, logo, id, slug, createdAt: ctx.clock.now() };
    await tx.insert(tools).values(row);
    changed(tx, tools);
    await savePageGrants(tx, slug, NO_GRANTS, grants);
    await recordAudit(ctx, tx, {
      action: "tool.created",
      subjectType: "tool",
      subjectId: id,
      details: { slug, after: toToolRecord(row, grants) },
    });
    await joinImportedPurchases(ctx, tx, eq(tools.id, id));
    return { id, slug, name: tool.name };
  });
}

interface NamedCredential {
  credentialId: string | null;
  credentialService: string | null;
}

/**
 * Refuses the id of a credential that does not exist, and a service that is neither listed nor named by a credential.
 *
 * @param before what the tool has now, which is always accepted
 * @throws InvalidInputError
 */
async function requireCredential(
  tx: Transaction,
  { credentialId, credentialService: service }: NamedCredential,
  before?: NamedCredential,
): Promise<void> {
  const exists = async (condition: SQL) => (await tx.$count(credentials, condition)) > 0;
  if (credentialId !== null && !(await exists(eq(credentials.id, credentialId))))
    throw new InvalidInputError({ credentialId: [CREDENTIAL] });
  if (service === null || service === before?.credentialService) return;
  if (SERVICES.some((listed) => listed === service) || (await exists(eq(credentials.service, service))))
    return;
  throw new InvalidInputError({ credentialService: [SERVICE] });
}

/** Refuses ids of tools that do not exist. @throws DomainError 'tool-not-found' */
async function requireTools(tx: Transaction, toolIds: readonly string[]): Promise<void> {
  const ids = [...new Set(toolIds)];
  if ((await countTools(tx, ids)) < ids.length) throw new DomainError("tool-not-found");
}

interface UpdatedTool {
  /** The tool's version now. */
  version: number;
  /** The stock now. It differs from the stock in the form when passes were sold since the form was opened. */
  availableStock: number;
}

/**
 * Changes a tool. The stock changes by the difference between the form's value and `shownStock`, and not below 0, so
 * that sales since the form was opened are kept. Past purchases keep their name, price and validity. Access codes follow
 * a server that is renamed. A stock that is counted from codes is not the form's. A logo that no tool has any more is
 * deleted.
 *
 * @throws DomainError 'unauthenticated', 'forbidden', 'password-needed', 'invalid-input', 'tool-not-found', 'tool-name-taken',
 *   'changed-meanwhile' (the tool no longer has `version`)
 */
export async function updateTool(
  ctx: Context,
  input: z.input<typeof updateToolSchema> | UntrustedInput,
): Promise<UpdatedTool> {
  requireAdmin(ctx, "changes-shop");
  const { toolId, version, shownStock, ...form } = parseInput(updateToolSchema, input);
  const { pageNames, pageToolIds, logoFile, removeLogo, ...tool } = form;
  return inTransaction(ctx.db, async (tx) => {
    await lockEdits(tx);
    const before = await lockTool(tx, toolId);
    if (before === null) throw new DomainError("tool-not-found");
    if (before.version !== version) throw new DomainError("changed-meanwhile");
    if (await isToolNameTaken(tx, tool.name, toolId)) throw new DomainError("tool-name-taken");
    await requireTools(tx, pageToolIds);
    await requireCredential(tx, tool, before);
    const serverIds = await selectServerIds(tx, toolId);
    const servers = assignServerIds(before.slug, tool, before.servers, (id) => serverIds.has(id));
    const logo = await saveLogo(ctx, tx, { logoFile, removeLogo }, before.logo);
    const availableStock = changedStock(tool.availableStock - shownStock);
    const [after] = await tx
      .update(tools)
      .set({
        ...tool,
        servers,
        logo,
        availableStock,
        version: sql`${tools.version} + 1`,
        updatedAt: ctx.clock.now(),
      })
      .where(eq(tools.id, toolId))
      .returning();
    changed(tx, tools);
    if (after === undefined) throw new Error("the locked tool is gone");
    await deleteUnusedLogo(tx, before.logo);
    await renameServersOfCodes(tx, toolId, findRenamedServers(before.servers, servers));
    await markServersPerBuyer(tx, toolId);
    const page = { slug: before.slug, toolId };
    const grants = await selectPageGrants(tx, page);
    await savePageGrants(tx, before.slug, grants, {
      pageNames,
      pageToolIds: pageToolIds.filter((id) => id !== toolId),
    });
    await joinImportedPurchases(ctx, tx, eq(tools.id, toolId));
    await recountStock(ctx, tx, toolId);
    const stored = (await lockTool(tx, toolId)) ?? after;
    await recordAudit(ctx, tx, {
      action: "tool.updated",
      subjectType: "tool",
      subjectId: toolId,
      details: changedFields(
        toToolRecord(before, grants),
        toToolRecord(stored, await selectPageGrants(tx, page)),
      ),
    });
    return { version: stored.version, availableStock: stored.availableStock };
  });
}

/**
 * The owner decides whether a tool whose pass would open nothing is sold all the same. The decision stays when the tool
 * becomes ready, and applies again when it stops being so.
 *
 * @throws DomainError 'unauthenticated', 'forbidden', 'password-needed', 'invalid-input', 'tool-not-found'
 */
export async function sellWhenNotReady(
  ctx: Context,
  input: z.input<typeof sellWhenNotReadySchema> | UntrustedInput,
): Promise<void> {
  requireAdmin(ctx, "changes-shop");
  const { toolId, sellsWhenNotReady } = parseInput(sellWhenNotReadySchema, input);
  await inTransaction(ctx.db, async (tx) => {
    await lockEdits(tx);
    const before = await lockTool(tx, toolId);
    if (before === null) throw new DomainError("tool-not-found");
    if (before.sellsWhenNotReady === sellsWhenNotReady) return;
    await tx.update(tools).set({ sellsWhenNotReady, updatedAt: ctx.clock.now() }).where(eq(tools.id, toolId));
    changed(tx, tools);
    await recordAudit(ctx, tx, {
      action: sellsWhenNotReady ? "tool.sold-when-not-ready" : "tool.not-sold-when-not-ready",
      subjectType: "tool",
      subjectId: toolId,
      details: changedFields(before, { sellsWhenNotReady }),
    });
  });
}

/**
 * Takes a tool out of the catalogue and the admin's lists, for good. Its row, page, servers and codes stay for passes
 * that still run; purchases keep their name and price. An open checkout keeps its unit and can still be paid.
 *
 * @throws DomainError 'unauthenticated', 'forbidden', 'password-needed', 'invalid-input', 'tool-not-found'
 */
export async function deleteTool(ctx: Context, input: { toolId: string } | UntrustedInput): Promise<void> {
  requireAdmin(ctx, "deletes");
  const { toolId } = parseInput(deleteToolSchema, input);
  await inTransaction(ctx.db, async (tx) => {
    await lockEdits(tx);
    const tool = await lockTool(tx, toolId);
    if (tool === null) throw new DomainError("tool-not-found");
    const now = ctx.clock.now();
    await tx
      .update(tools)
      .set({ deletedAt: now, isActive: false, version: sql`${tools.version} + 1`, updatedAt: now })
      .where(eq(tools.id, toolId));
    changed(tx, tools);
    const grants = await selectPageGrants(tx, { slug: tool.slug, toolId });
    await recordAudit(ctx, tx, {
      action: "tool.deleted",
      subjectType: "tool",
      subjectId: toolId,
      details: { slug: tool.slug, before: toToolRecord(tool, grants) },
    });
  });
}
