import { eq, sql } from "drizzle-orm";
import type { z } from "zod";
import { lockEdits } from "#db/edit-lock.ts";
import { tools } from "#db/tables/catalog.ts";
import { changed, inTransaction } from "#db/transaction.ts";
import { changedFields, recordAudit } from "../../audit/record-audit.server.ts";
import { requireAdmin } from "../../authorise.ts";
import type { Context } from "../../context.ts";
import { DomainError } from "../../errors.ts";
import { parseInput, type UntrustedInput } from "../../parse.ts";
import { recountStock } from "../code-stock.server.ts";
import { markServersPerBuyer } from "../server-kinds.server.ts";
import { changedStock } from "../stock.server.ts";
import { requireCredential, requireTools } from "./create-tool.server.ts";
import {
  isToolNameTaken,
  lockTool,
  renameServersOfCodes,
  savePageGrants,
  selectPageGrants,
  selectServerIds,
} from "./queries.server.ts";
import { updateToolSchema } from "./schemas.ts";
import { findRenamedServers, pickToolColumns, toToolRecord } from "./tool-record.ts";
import { assignServerIds } from "./tool-slug.ts";

export interface UpdatedTool {
  /** Of the tool now. */
  version: number;
  /** The stock now. It differs from the one in the form when passes were sold since the form was opened. */
  availableStock: number;
}

/**
 * Changes a tool. The stock changes by the difference between the form's value and `shownStock`, and not below 0, so
 * that sales since the form was opened are kept. Past purchases keep their name, price and validity. Access codes follow
 * a server that is renamed. A stock that is counted from codes is not the form's.
 *
 * @throws DomainError 'unauthenticated', 'forbidden', 'password-needed', 'invalid-input', 'tool-not-found', 'tool-name-taken',
 *   'changed-meanwhile' (the tool no longer has `version`)
 */
export async function updateTool(
  ctx: Context,
  input: z.input<typeof updateToolSchema> | UntrustedInput,
): Promise<UpdatedTool> {
  requireAdmin(ctx, "redirects-buyers");
  const { toolId, version, shownStock, ...tool } = parseInput(updateToolSchema, input);
  return inTransaction(ctx.db, async (tx) => {
    await lockEdits(tx);
    const before = await lockTool(tx, toolId);
    if (before === null) throw new DomainError("tool-not-found");
    if (before.version !== version) throw new DomainError("changed-meanwhile");
    if (await isToolNameTaken(tx, tool.name, toolId)) throw new DomainError("tool-name-taken");
    await requireTools(tx, tool.pageToolIds);
    await requireCredential(tx, tool, before);
    const serverIds = await selectServerIds(tx, toolId);
    const servers = assignServerIds(before.slug, tool.servers, before.servers, (id) => serverIds.has(id));
    const columns = { ...pickToolColumns(tool), servers };
    const availableStock = changedStock(tool.availableStock - shownStock);
    const [after] = await tx
      .update(tools)
      .set({ ...columns, availableStock, version: sql`${tools.version} + 1`, updatedAt: ctx.clock.now() })
      .where(eq(tools.id, toolId))
      .returning();
    changed(tx, tools);
    if (after === undefined) throw new Error("the locked tool is gone");
    await renameServersOfCodes(tx, toolId, findRenamedServers(before.servers, servers));
    await markServersPerBuyer(tx, toolId);
    const page = { slug: before.slug, toolId };
    const grants = await selectPageGrants(tx, page);
    await savePageGrants(tx, before.slug, grants, {
      pageNames: tool.pageNames,
      pageToolIds: tool.pageToolIds.filter((id) => id !== toolId),
    });
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
