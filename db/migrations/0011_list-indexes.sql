DROP INDEX "user_purchases_created_idx";--> statement-breakpoint
DROP INDEX "user_purchases_expires_idx";--> statement-breakpoint
CREATE INDEX "users_provider_login_idx" ON "users" USING btree ("provider","last_login" DESC NULLS LAST,"id" DESC NULLS FIRST) WHERE deleted_at is null;--> statement-breakpoint
CREATE INDEX "user_purchases_created_idx" ON "user_purchases" USING btree ("created_at","id","status","ended_reason");--> statement-breakpoint
CREATE INDEX "user_purchases_expires_idx" ON "user_purchases" USING btree ("expires_at" DESC NULLS LAST,"created_at" DESC NULLS FIRST,"id" DESC NULLS FIRST,"ended_at","status","ended_reason");