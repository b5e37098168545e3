DROP INDEX "auth_accounts_provider_key";--> statement-breakpoint
ALTER TABLE "auth_accounts" ADD COLUMN "issuer" text DEFAULT '' NOT NULL;--> statement-breakpoint
CREATE UNIQUE INDEX "auth_accounts_provider_key" ON "auth_accounts" USING btree ("provider_id","issuer","account_id");