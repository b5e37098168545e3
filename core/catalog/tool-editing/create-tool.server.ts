import { eq, type SQL } from "drizzle-orm";
import { uuidv7 } from "uuidv7";
import type { z } from "zod";
import type { Transaction } from "#db/database.ts";
import { lockEdits } from "#db/edit-lock.ts";
import { tools } from "#db/tables/catalog.ts";
import { credentials } from "#db/tables/vault.ts";
import { changed, inTransaction } from "#db/transaction.ts";
import { recordAudit } from "../../audit/record-audit.server.ts";
import { requireAdmin } from "../../authorise.ts";
import type { Context } from "../../context.ts";
import { DomainError, InvalidInputError } from "../../errors.ts";
import { parseInput, type UntrustedInput } from "../../parse.ts";
import { SERVICES } from "../limits.ts";
import {
  countTools,
  isToolNameTaken,
  type PageGrants,
  savePageGrants,
  selectServerIds,
  selectSlugs,
} from "./queries.server.ts";
import { CREDENTIAL, createToolSchema, SERVICE } from "./schemas.ts";
import { pickToolColumns, toToolRecord } from "./tool-record.ts";
import { assignServerIds, makeToolSlug } from "./tool-slug.ts";

const NO_GRANTS: PageGrants = { pageNames: [], pageToolIds: [] };

/**
 * Adds a tool. Its slug is made from its name and never changes. Price and validity are stored as they were typed; with
 * pricing options they are not charged.
 *
 * @throws DomainError 'unauthenticated', 'forbidden', 'password-needed', 'invalid-input', 'tool-name-taken', 'tool-not-found' (one of
 *   `pageToolIds`)
 */
export async function createTool(
  ctx: Context,
  input: z.input<typeof createToolSchema> | UntrustedInput,
): Promise<{ id: string; slug: string }> {
  requireAdmin(ctx, "redirects-buyers");
  const tool = parseInput(createToolSchema, input);
  return inTransaction(ctx.db, async (tx) => {
    await lockEdits(tx);
    if (await isToolNameTaken(tx, tool.name)) throw new DomainError("tool-name-taken");
    await requireTools(tx, tool.pageToolIds);
    await requireCredential(tx, tool);
    const slugs = await selectSlugs(tx);
    const serverIds = await selectServerIds(tx);
    const id = uuidv7();
    const slug = makeToolSlug(tool.name, (candidate) => slugs.has(candidate));
    const servers = assignServerIds(slug, tool.servers, [], (candidate) => serverIds.has(candidate));
    const { availableStock } = tool;
    const columns = { ...pickToolColumns(tool), servers, availableStock };
    await tx.insert(tools).values({ ...columns, id, slug, createdAt: ctx.clock.now() });
    changed(tx, tools);
    await savePageGrants(tx, slug, NO_GRANTS, tool);
    await recordAudit(ctx, tx, {
      action: "tool.created",
      subjectType: "tool",
      subjectId: id,
      details: { slug, after: toToolRecord(columns, tool) },
    });
    return { id, slug };
  });
}

interface NamedCredential {
  credentialId: string | null;
  credentialService: string | null;
}

/**
 * Refuses the id of a credential that does not exist, and a service that is neither listed nor that of a credential.
 *
 * @param before what the tool has now, which is always accepted
 * @throws InvalidInputError
 */
export async function requireCredential(
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
export async function requireTools(tx: Transaction, toolIds: readonly string[]): Promise<void> {
  const ids = [...new Set(toolIds)];
  if ((await countTools(tx, ids)) < ids.length) throw new DomainError("tool-not-found");
}
