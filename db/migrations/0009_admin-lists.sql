-- For searches of a part of a text. Like btree_gist, it is a trusted extension: the owner of the database may create it.
CREATE EXTENSION IF NOT EXISTS pg_trgm;--> statement-breakpoint
-- How often a searched text matches is estimated from a sample; the default one is too small for rare texts.
ALTER TABLE "users" ALTER COLUMN "email" SET STATISTICS 1000, ALTER COLUMN "display_name" SET STATISTICS 1000;--> statement-breakpoint
ALTER TABLE "user_purchases" ALTER COLUMN "tool_name" SET STATISTICS 1000;--> statement-breakpoint
DROP INDEX "audit_events_actor_idx";--> statement-breakpoint
CREATE INDEX "users_created_idx" ON "users" USING btree ("created_at","id") WHERE deleted_at is null;--> statement-breakpoint
CREATE INDEX "users_last_login_idx" ON "users" USING btree ("last_login" DESC NULLS LAST,"id" DESC NULLS FIRST) WHERE deleted_at is null;--> statement-breakpoint
CREATE INDEX "users_provider_idx" ON "users" USING btree ("provider","created_at","id") WHERE deleted_at is null;--> statement-breakpoint
CREATE INDEX "users_search_idx" ON "users" USING gin ("email" gin_trgm_ops,"display_name" gin_trgm_ops);--> statement-breakpoint
CREATE INDEX "coupon_codes_created_idx" ON "coupon_codes" USING btree ("created_at","id") WHERE deleted_at is null;--> statement-breakpoint
CREATE INDEX "coupon_codes_tool_idx" ON "coupon_codes" USING btree ("tool_id","created_at","id") WHERE deleted_at is null;--> statement-breakpoint
CREATE INDEX "coupon_codes_search_idx" ON "coupon_codes" USING gin ("code" gin_trgm_ops);--> statement-breakpoint
CREATE INDEX "audit_events_created_idx" ON "audit_events" USING btree ("created_at","id");--> statement-breakpoint
CREATE INDEX "audit_events_actor_kind_idx" ON "audit_events" USING btree ("actor_kind","created_at","id");--> statement-breakpoint
CREATE INDEX "audit_events_action_idx" ON "audit_events" USING btree ("action","created_at","id");--> statement-breakpoint
CREATE INDEX "audit_events_subject_id_idx" ON "audit_events" USING btree ("subject_id","created_at","id");--> statement-breakpoint
CREATE INDEX "user_purchases_created_idx" ON "user_purchases" USING btree ("created_at","id");--> statement-breakpoint
CREATE INDEX "user_purchases_unpaid_idx" ON "user_purchases" USING btree ("created_at","id") WHERE status in ('pending', 'failed');--> statement-breakpoint
CREATE INDEX "user_purchases_expires_idx" ON "user_purchases" USING btree ("expires_at" DESC NULLS LAST,"created_at" DESC NULLS FIRST,"id" DESC NULLS FIRST,"ended_at","status");--> statement-breakpoint
CREATE INDEX "user_purchases_tool_name_idx" ON "user_purchases" USING btree ("tool_name","created_at","id");--> statement-breakpoint
CREATE INDEX "access_codes_created_idx" ON "access_codes" USING btree ("created_at","id");--> statement-breakpoint
CREATE INDEX "audit_events_actor_idx" ON "audit_events" USING btree ("actor_id","created_at","id");