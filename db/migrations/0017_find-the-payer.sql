ALTER TABLE "payment_attempts" ADD COLUMN "fee" integer;--> statement-breakpoint
ALTER TABLE "payment_attempts" ADD COLUMN "tax" integer;--> statement-breakpoint
ALTER TABLE "payment_attempts" ADD COLUMN "payer_sealed" text;--> statement-breakpoint
ALTER TABLE "payment_attempts" ADD COLUMN "payer_hashes" text[];--> statement-breakpoint
ALTER TABLE "unknown_payments" ADD COLUMN "payer_sealed" text;--> statement-breakpoint
ALTER TABLE "unknown_payments" ADD COLUMN "payer_hashes" text[];--> statement-breakpoint
CREATE INDEX "payment_attempts_payer_idx" ON "payment_attempts" USING gin ("payer_hashes");--> statement-breakpoint
CREATE INDEX "payment_attempts_sealed_idx" ON "payment_attempts" USING btree ("created_at") WHERE payer_sealed is not null;--> statement-breakpoint
CREATE INDEX "payment_attempts_unread_idx" ON "payment_attempts" USING btree ("id") WHERE payer_hashes is null;--> statement-breakpoint
CREATE INDEX "user_purchases_amount_idx" ON "user_purchases" USING btree ("amount");