-- Counts and sums are read from the tables. The functions take their triggers with them.
DROP VIEW "expected_counters";--> statement-breakpoint
DROP FUNCTION count_users() CASCADE;--> statement-breakpoint
DROP FUNCTION count_coupons() CASCADE;--> statement-breakpoint
DROP FUNCTION count_purchases() CASCADE;--> statement-breakpoint
DROP FUNCTION count_attempts() CASCADE;--> statement-breakpoint
DROP FUNCTION count_new_payment() CASCADE;--> statement-breakpoint
DROP FUNCTION count_refunds() CASCADE;--> statement-breakpoint
DROP FUNCTION count_payment(payment_attempts, bigint, integer);--> statement-breakpoint
DROP FUNCTION user_counter(users);--> statement-breakpoint
DROP FUNCTION purchase_counter(user_purchases);--> statement-breakpoint
DROP FUNCTION purchase_bucket(user_purchases);--> statement-breakpoint
DROP FUNCTION payment_bucket(payment_attempts);--> statement-breakpoint
DROP FUNCTION payment_counter(boolean);--> statement-breakpoint
DROP TABLE "counter_changes";--> statement-breakpoint
DROP TABLE "counters";--> statement-breakpoint
DELETE FROM "job_runs" WHERE "name" = 'compact-counters';--> statement-breakpoint
CREATE INDEX "payment_attempts_captured_idx" ON "payment_attempts" USING btree (coalesce("captured_at", "created_at")) WHERE status = 'captured';--> statement-breakpoint
CREATE INDEX "payment_orders_test_idx" ON "payment_orders" USING btree ("id") WHERE test_mode;--> statement-breakpoint
CREATE INDEX "user_purchases_completed_idx" ON "user_purchases" USING btree ("created_at","id") WHERE status in ('completed', 'active') and (ended_reason is null or ended_reason not in ('deleted', 'user-deleted'));