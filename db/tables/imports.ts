import { sql } from "drizzle-orm";
import { check, index, jsonb, pgTable, text, uniqueIndex, uuid } from "drizzle-orm/pg-core";
import { createdAt, primaryId } from "./columns.ts";

/**
 * The documents of an imported shop, as they were, each with the row that it became. A document with passwords or codes is
 * sealed; the password hash of an account is in the account only. A second import knows a document by `collection` and
 * `documentId`, and by `contentHash` (keyed) whether it has changed.
 */
export const importedDocuments = pgTable(
  "imported_documents",
  {
    id: primaryId(),
    collection: text("collection", {
      enum: [
        "tools",
        "credentials",
        "user_purchases",
        "purchases",
        "user_documents",
        "users",
        "accounts",
        "access_codes",
        "coupon_codes",
      ],
    }).notNull(),
    documentId: text("document_id").notNull(),
    /** The table and the id of the row; null when the document became none. Several documents may have become one row. */
    becameTable: text("became_table", {
      enum: ["tools", "credentials", "user_purchases", "users", "access_codes", "coupon_codes"],
    }),
    becameId: uuid("became_id"),
    contentHash: text("content_hash").notNull(),
    document: jsonb("document").$type<Record<string, unknown>>(),
    documentSealed: text("document_sealed"),
    createdAt: createdAt(),
  },
  (table) => [
    uniqueIndex("imported_documents_key").on(table.collection, table.documentId),
    index("imported_documents_became_idx").on(table.becameId).where(sql`became_id is not null`),
    // For the rotation of keys.
    index("imported_documents_sealed_idx").on(table.id).where(sql`document_sealed is not null`),
    check("imported_documents_one", sql`num_nonnulls(${table.document}, ${table.documentSealed}) = 1`),
    check("imported_documents_became", sql`(${table.becameTable} is null) = (${table.becameId} is null)`),
  ],
);

export type ImportedCollection = (typeof importedDocuments.$inferSelect)["collection"];
