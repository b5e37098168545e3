import { and, asc, eq, inArray, isNull, type SQL, sql } from "drizzle-orm";
import { z } from "zod";
import type { Transaction } from "#db/database.ts";
import { type ImportedCollection, importedDocuments } from "#db/tables/imports.ts";
import { userPurchases } from "#db/tables/purchases.ts";
import { changed, inTransaction } from "#db/transaction.ts";
import { recordAudit } from "../audit/record-audit.server.ts";
import { requireAdmin } from "../authorise.ts";
import type { Context } from "../context.ts";
import { DomainError } from "../errors.ts";
import { parseInput, type UntrustedInput } from "../parse.ts";
import { openImportedDocument } from "./seal-secrets.ts";

/** The most documents that are shown for one row. */
const MOST_READ = 50;

const readInput = z.object({
  table: z.enum(["tools", "credentials", "user_purchases", "users", "access_codes", "coupon_codes"]),
  id: z.uuid(),
});

/** A document of an imported shop, as it was there. */
export interface ImportedOriginal {
  id: string;
  collection: ImportedCollection;
  documentId: string;
  /** null: it has passwords or codes, and `revealImportedOriginal` opens it. Empty when its person's account was deleted. */
  fields: Record<string, unknown> | null;
}

/**
 * The original documents that became a row of the shop, by their collection. None for a row that was not imported.
 *
 * @throws DomainError unauthenticated, forbidden, invalid-input
 */
export async function readImportedOriginals(
  ctx: Context,
  input: z.input<typeof readInput> | UntrustedInput,
): Promise<ImportedOriginal[]> {
  requireAdmin(ctx, "reads");
  const { table, id } = parseInput(readInput, input);
  return ctx.db
    .select({
      id: importedDocuments.id,
      collection: importedDocuments.collection,
      documentId: importedDocuments.documentId,
      fields: importedDocuments.document,
    })
    .from(importedDocuments)
    .where(and(eq(importedDocuments.becameId, id), eq(importedDocuments.becameTable, table)))
    .orderBy(asc(importedDocuments.collection), asc(importedDocuments.documentId))
    .limit(MOST_READ);
}

const revealInput = z.object({ id: z.uuid() });

/**
 * A document with passwords or codes in plain text. Audited, without them.
 *
 * @throws DomainError unauthenticated, forbidden, password-needed, invalid-input, not-found (also for a document that is not
 * sealed)
 */
export async function revealImportedOriginal(
  ctx: Context,
  input: z.input<typeof revealInput> | UntrustedInput,
): Promise<{ fields: Record<string, unknown> }> {
  requireAdmin(ctx, "reveals-secret");
  const { id } = parseInput(revealInput, input);
  return inTransaction(ctx.db, async (tx) => {
    const [found] = await tx
      .select()
      .from(importedDocuments)
      .where(eq(importedDocuments.id, id))
      .for("share");
    if (!found || found.documentSealed === null) throw new DomainError("not-found");
    const { collection, documentId, documentSealed } = found;
    const fields = openImportedDocument(ctx.ports.cipher, { id, documentSealed });
    await recordAudit(ctx, tx, {
      action: "imported-document.revealed",
      subjectType: "imported-document",
      subjectId: id,
      details: { collection, documentId },
    });
    return { fields };
  });
}

/** The collections whose documents are about one person each. */
export const OF_PERSONS: ImportedCollection[] = [
  "users",
  "accounts",
  "user_documents",
  "purchases",
  "user_purchases",
];

/**
 * Empties the original documents of a person whose account is deleted: those that became the account or its purchases, and those
 * that became nothing and name the person. Their ids and hashes stay, so that another import of the same shop does not bring
 * the person back.
 *
 * @param person.email in lower case
 */
export async function emptyDocumentsOf(
  tx: Transaction,
  person: { userId: string; email: string },
): Promise<void> {
  const { userId, email } = person;
  const purchases = tx
    .select({ id: userPurchases.id })
    .from(userPurchases)
    .where(eq(userPurchases.userId, userId));
  const rows = sql`array(select ${userId}::uuid union all ${purchases})`;
  const own = await empty(tx, sql`${importedDocuments.becameId} = any(${rows})`);
  const uids = own.filter(({ collection }) => !isPurchase(collection)).map(({ documentId }) => documentId);
  const names = [email, ...uids].map((name) => JSON.stringify(name.toLowerCase()));
  const isNamed = sql`exists (
    select from unnest(${sql.param(names)}::text[]) as name where strpos(lower(${importedDocuments.document}::text), name) > 0)`;
  await empty(tx, and(isNull(importedDocuments.becameId), isNamed));
}

const isPurchase = (collection: ImportedCollection) =>
  collection === "purchases" || collection === "user_purchases";

async function empty(tx: Transaction, which: SQL | undefined) {
  const emptied = await tx
    .update(importedDocuments)
    .set({ document: {}, documentSealed: null })
    .where(and(inArray(importedDocuments.collection, OF_PERSONS), which))
    .returning({ collection: importedDocuments.collection, documentId: importedDocuments.documentId });
  changed(tx, importedDocuments);
  return emptied;
}
