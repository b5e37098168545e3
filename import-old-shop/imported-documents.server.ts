import { isDeepStrictEqual } from "node:util";
import { and, eq, inArray } from "drizzle-orm";
import { uuidv7 } from "uuidv7";
import type { Cipher } from "#core/ports.ts";
import { openImportedDocument, sealImportedDocument } from "#core/vault/seal-secrets.ts";
import type { Executor, Transaction } from "#db/database.ts";
import { insertMany } from "#db/insert-many.ts";
import type { SchemaTable } from "#db/schema.ts";
import { type ImportedCollection, importedDocuments } from "#db/tables/imports.ts";
import { inSavepoint, isInvalidDataError, violatedConstraint } from "#db/transaction.ts";
import type { OldDocument } from "./source.ts";

/** A document with its name in the shop. */
export interface NamedDocument {
  document: OldDocument;
  documentId: string;
  contentHash: string;
}

/** What an import has made of a document before. */
export interface KnownDocument {
  contentHash: string;
  becameId: string | null;
}

/** The documents among these that were imported before, by their id. */
export async function selectKnownDocuments(
  executor: Executor,
  collection: ImportedCollection,
  documentIds: readonly string[],
): Promise<Map<string, KnownDocument>> {
  if (documentIds.length === 0) return new Map();
  const rows = await executor
    .select({
      documentId: importedDocuments.documentId,
      contentHash: importedDocuments.contentHash,
      becameId: importedDocuments.becameId,
    })
    .from(importedDocuments)
    .where(
      and(
        eq(importedDocuments.collection, collection),
        inArray(importedDocuments.documentId, [...documentIds]),
      ),
    );
  return new Map(rows.map(({ documentId, ...known }) => [documentId, known]));
}

/** The names of the fields that differ from those that were imported, by the id of the document. */
export async function selectChangedFields(
  cipher: Cipher,
  executor: Executor,
  collection: ImportedCollection,
  changed: readonly NamedDocument[],
): Promise<Map<string, string[]>> {
  if (changed.length === 0) return new Map();
  const { id, documentId, document, documentSealed } = importedDocuments;
  const rows = await executor
    .select({ id, documentId, document, documentSealed })
    .from(importedDocuments)
    .where(
      and(
        eq(importedDocuments.collection, collection),
        inArray(
          documentId,
          changed.map((one) => one.documentId),
        ),
      ),
    );
  const now = new Map(changed.map((one) => [one.documentId, one.document]));
  return new Map(
    rows.map((row) => {
      const sealed = row.documentSealed;
      const before =
        sealed === null
          ? (row.document ?? {})
          : openImportedDocument(cipher, { id: row.id, documentSealed: sealed });
      // As they are stored: a time is text there.
      const after: Record<string, unknown> = JSON.parse(
        JSON.stringify(now.get(row.documentId)?.fields ?? {}),
      );
      const names = new Set([...Object.keys(before), ...Object.keys(after)]);
      return [row.documentId, [...names].filter((name) => !isDeepStrictEqual(before[name], after[name]))];
    }),
  );
}

/** Keyed, because a document may hold a short code or password. */
export function hashDocument(
  cipher: Cipher,
  { fields }: Pick<OldDocument, "fields">,
): { hash: string; length: number } {
  const text = JSON.stringify(fields);
  return { hash: cipher.lookupHash(text), length: text.length };
}

export interface Original {
  collection: ImportedCollection;
  documentId: string;
  contentHash: string;
  became: { table: NonNullable<(typeof importedDocuments.$inferInsert)["becameTable"]>; id: string };
  /** Without hashes of passwords. */
  fields: Record<string, unknown>;
  /** It holds a password or a code. */
  isSecret: boolean;
}

/** Postgres does not take a value of a document. The collection is undone. */
class ImportValueError extends Error {
  override readonly name = "ImportValueError";

  constructor(document: string, options: { cause: unknown }) {
    const rule = violatedConstraint(options.cause);
    super(
      `The database does not take a value of ${document}${rule === undefined ? "" : ` (rule ${rule})`}, so no document of its collection was imported. Correct it in the export and run the import again.`,
      options,
    );
  }
}

/**
 * Inserts rows that documents became.
 *
 * @param originals of these rows, for the message
 * @throws ImportValueError for the first row with a value that Postgres refuses
 */
export async function insertOfDocuments<Table extends SchemaTable>(
  tx: Transaction,
  table: Table,
  rows: readonly Table["$inferInsert"][],
  originals: readonly (Pick<Original, "collection" | "documentId"> & { became: { id: string } })[],
): Promise<void> {
  try {
    await inSavepoint(tx, (inner) => insertMany(inner, table, rows));
  } catch (error) {
    if (!isInvalidDataError(error)) throw error;
    // Postgres does not say which of the rows it was.
    for (const row of rows) {
      const own = originals.filter(({ became }) => "id" in row && became.id === row.id);
      const names = own.map(({ collection, documentId }) => `${collection}/${documentId}`).join(", ");
      await inSavepoint(tx, (inner) => insertMany(inner, table, [row])).catch((cause: unknown) => {
        throw isInvalidDataError(cause) ? new ImportValueError(names, { cause }) : cause;
      });
    }
    throw error;
  }
}

/** Stores documents as they were, those with secrets sealed. */
export async function saveOriginals(
  tx: Transaction,
  cipher: Cipher,
  originals: readonly Original[],
): Promise<void> {
  const rows = originals.map(({ collection, documentId, contentHash, became, fields, isSecret }) => {
    const id = uuidv7();
    return {
      id,
      collection,
      documentId,
      becameTable: became.table,
      becameId: became.id,
      contentHash,
      document: isSecret ? null : fields,
      documentSealed: isSecret ? sealImportedDocument(cipher, id, fields) : null,
    };
  });
  const named = rows.map(({ id, collection, documentId }) => ({
    collection,
    documentId,
    became: { id },
  }));
  await insertOfDocuments(tx, importedDocuments, rows, named);
}

/** Names of fields whose value nobody should see who reads the database. */
const SECRET_NAME =
  /pass(?:word|wd|code|phrase)|^pwd$|secret|token|salt|hash|(?:access|session|simple)_?code/i;

/** Whether a field of the document, at any depth, holds a password or a code by its name. */
function hasSecret(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return false;
  return Object.entries(value).some(([name, inner]) => SECRET_NAME.test(name) || hasSecret(inner));
}

/** The original of a document, for `saveOriginals`. @param fields without what must not be kept */
export function originalOf(
  collection: ImportedCollection,
  { document, documentId, contentHash }: NamedDocument,
  became: Original["became"],
  fields: Record<string, unknown> = document.fields,
): Original {
  const isSecret = collection === "credentials" || collection === "access_codes" || hasSecret(fields);
  return { collection, documentId, contentHash, became, fields, isSecret };
}
