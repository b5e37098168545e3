import type { z } from "zod";
import { lockEdits } from "#db/edit-lock.ts";
import { accessCodes } from "#db/tables/vault.ts";
import { changed, inTransaction } from "#db/transaction.ts";
import { recordAudit } from "../audit/record-audit.server.ts";
import { requireAdmin } from "../authorise.ts";
import { recountStock } from "../catalog/code-stock.server.ts";
import { endOneForEachBuyer, markServersPerBuyer, refuseMixedCodes } from "../catalog/server-kinds.server.ts";
import type { Context } from "../context.ts";
import { DomainError } from "../errors.ts";
import { parseInput, type UntrustedInput } from "../parse.ts";
import { sealAccessCode } from "../vault/seal-access-code.ts";
import { findTakenHashes, selectToolName } from "./queries.server.ts";
import { type LineProblem, readCodeLines } from "./read-code-lines.ts";
import { requireServer } from "./require-server.server.ts";
import { addSeveralAccessCodesSchema } from "./schemas.ts";

/** Either all lines were added, or none: then `problems` says what is wrong, in the order of the lines. */
export type AddedAccessCodes =
  | { kind: "added"; count: number }
  | { kind: "refused"; problems: LineProblem[] };

/**
 * Adds a pasted list of simple codes to one server of a tool, one per line, active. Each gets a session code. They are
 * for all buyers, who get the newest, or for one buyer each, as the server is from now on.
 *
 * @throws DomainError 'unauthenticated', 'forbidden', 'password-needed', 'invalid-input', 'tool-not-found',
 *   'server-has-shared-codes', 'server-has-codes-per-buyer'
 */
export async function addSeveralAccessCodes(
  ctx: Context,
  input: z.input<typeof addSeveralAccessCodesSchema> | UntrustedInput,
): Promise<AddedAccessCodes> {
  requireAdmin(ctx, "replaces-secret");
  const { toolId, serverName: chosen, handOut, lines } = parseInput(addSeveralAccessCodesSchema, input);
  const { codes, problems } = readCodeLines(lines);
  return inTransaction(ctx.db, async (tx) => {
    await lockEdits(tx);
    const toolName = await selectToolName(tx, toolId);
    if (toolName === null) throw new DomainError("tool-not-found");
    const perBuyer = handOut === "per-buyer";
    const serverName = await requireServer(tx, { toolId, serverName: chosen });
    const { cipher } = ctx.ports;
    const hashes = codes.map(({ code }) => cipher.lookupHash(code));
    const taken = await findTakenHashes(tx, hashes);
    const existing = codes.flatMap(({ line }, at) =>
      taken.has(hashes[at] ?? "") ? [{ line, message: "This code is already in use." }] : [],
    );
    const all = [...problems, ...existing].sort((a, b) => a.line - b.line);
    if (all.length > 0) return { kind: "refused", problems: all };
    if (!perBuyer) await endOneForEachBuyer(ctx, tx, { toolId, serverName });
    await refuseMixedCodes(tx, { toolId, serverName, perBuyer });
    const now = ctx.clock.now();
    const rows = codes.map(({ code }) => sealAccessCode(cipher, { simpleCode: code, toolName }, now));
    const common = { toolId, serverName, isActive: true, perBuyer, codeChangedAt: now, createdAt: now };
    await tx.insert(accessCodes).values(rows.map((row) => ({ ...row, ...common })));
    changed(tx, accessCodes);
    await markServersPerBuyer(tx, toolId);
    await recountStock(ctx, tx, toolId);
    await recordAudit(ctx, tx, {
      action: "access-codes.added",
      subjectType: "tool",
      subjectId: toolId,
      details: { serverName, handOut, count: rows.length, ids: rows.map(({ id }) => id) },
    });
    return { kind: "added", count: rows.length };
  });
}
