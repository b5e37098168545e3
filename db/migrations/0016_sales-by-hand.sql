CREATE TABLE "credits" (
	"id" uuid PRIMARY KEY NOT NULL,
	"attempt_id" uuid NOT NULL,
	"way" text NOT NULL,
	"reference" text,
	"payer_name" text,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "credits_attempt_id_unique" UNIQUE("attempt_id")
);
--> statement-breakpoint
CREATE TABLE "payouts" (
	"id" uuid PRIMARY KEY NOT NULL,
	"refund_id" uuid NOT NULL,
	"state" text DEFAULT 'promised' NOT NULL,
	"way" text,
	"reference" text,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "payouts_refund_id_unique" UNIQUE("refund_id"),
	CONSTRAINT "payouts_paid_has_way" CHECK (("payouts"."state" = 'paid') = ("payouts"."way" is not null))
);
--> statement-breakpoint
ALTER TABLE "credits" ADD CONSTRAINT "credits_attempt_id_payment_attempts_id_fk" FOREIGN KEY ("attempt_id") REFERENCES "public"."payment_attempts"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "payouts" ADD CONSTRAINT "payouts_refund_id_refunds_id_fk" FOREIGN KEY ("refund_id") REFERENCES "public"."refunds"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "credits_reference_key" ON "credits" USING btree ("way","reference");--> statement-breakpoint
CREATE INDEX "payouts_promised_idx" ON "payouts" USING btree ("created_at") WHERE state = 'promised';--> statement-breakpoint
CREATE INDEX "payment_orders_manual_idx" ON "payment_orders" USING btree ("id") WHERE gateway = 'manual';