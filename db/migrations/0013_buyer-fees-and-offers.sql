DROP INDEX "payment_attempts_sales_idx";--> statement-breakpoint
DROP INDEX "payment_attempts_amounts_idx";--> statement-breakpoint
ALTER TABLE "payment_attempts" ADD COLUMN "buyer_fee" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "unknown_payments" ADD COLUMN "order_amount" integer;--> statement-breakpoint
ALTER TABLE "unknown_payments" ADD COLUMN "buyer_fee" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "sandbox_orders" ADD COLUMN "amount_paid" integer;--> statement-breakpoint
ALTER TABLE "sandbox_payments" ADD COLUMN "buyer_fee" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "sandbox_payments" ADD COLUMN "offer" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
CREATE INDEX "payment_attempts_sales_idx" ON "payment_attempts" USING btree (coalesce("captured_at", "created_at"),"captured_at","created_at","amount","buyer_fee","refunded_at_gateway","order_id","id") WHERE status = 'captured';--> statement-breakpoint
CREATE INDEX "payment_attempts_amounts_idx" ON "payment_attempts" USING btree ("amount","buyer_fee","refunded_at_gateway") WHERE status = 'captured';