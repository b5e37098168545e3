ALTER TABLE "tools" ADD COLUMN "credential_id" uuid;--> statement-breakpoint
-- Declared here only: in db/tables the files of tools and credentials would import each other.
ALTER TABLE "tools" ADD CONSTRAINT "tools_credential_id_credentials_id_fk" FOREIGN KEY ("credential_id") REFERENCES "public"."credentials"("id") ON DELETE SET NULL;
