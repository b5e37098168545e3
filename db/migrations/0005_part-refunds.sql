ALTER TABLE "payment_attempts" ADD COLUMN "refunded_at_gateway" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "payment_orders" ADD COLUMN "answers_booked" integer DEFAULT 0 NOT NULL;