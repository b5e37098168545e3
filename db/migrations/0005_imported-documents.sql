CREATE TABLE "imported_documents" (
	"id" uuid PRIMARY KEY NOT NULL,
	"collection" text NOT NULL,
	"document_id" text NOT NULL,
	"became_table" text,
	"became_id" uuid,
	"content_hash" text NOT NULL,
	"document" jsonb,
	"document_sealed" text,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "imported_documents_one" CHECK (num_nonnulls("imported_documents"."document", "imported_documents"."document_sealed") = 1),
	CONSTRAINT "imported_documents_became" CHECK (("imported_documents"."became_table" is null) = ("imported_documents"."became_id" is null))
);
--> statement-breakpoint
DROP INDEX "user_purchases_one_pending_key";--> statement-breakpoint
ALTER TABLE "coupon_codes" ADD COLUMN "imported_uses" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
CREATE UNIQUE INDEX "imported_documents_key" ON "imported_documents" USING btree ("collection","document_id");--> statement-breakpoint
CREATE INDEX "imported_documents_became_idx" ON "imported_documents" USING btree ("became_id") WHERE became_id is not null;--> statement-breakpoint
CREATE INDEX "imported_documents_sealed_idx" ON "imported_documents" USING btree ("id") WHERE document_sealed is not null;--> statement-breakpoint
CREATE UNIQUE INDEX "user_purchases_one_pending_key" ON "user_purchases" USING btree ("user_id","tool_id") WHERE status = 'pending' and source <> 'import';