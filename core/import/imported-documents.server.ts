import { and, eq, inArray } from "drizzle-orm";
import { uuidv7 } from "uuidv7";
import type { Executor, Transaction } from "#db/database.ts";
import { insertMany } from "#db/insert-many.ts";
import { type ImportedCollection, importedDocuments } from "#db/tables/imports.ts";
import type { Cipher } from "../ports.ts";
import { sealImportedDocument } from "../vault/seal-secrets.ts";
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

/** Those of these documents that were imported before, by their id. */
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
  await insertMany(tx, importedDocuments, rows);
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
