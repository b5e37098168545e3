CREATE TABLE "payment_disputes" (
	"id" uuid PRIMARY KEY NOT NULL,
	"gateway" text NOT NULL,
	"test_mode" boolean NOT NULL,
	"gateway_dispute_id" text NOT NULL,
	"gateway_payment_id" text NOT NULL,
	"amount" integer NOT NULL,
	"amount_deducted" integer,
	"currency" text NOT NULL,
	"phase" text NOT NULL,
	"status" text NOT NULL,
	"reason_code" text,
	"reason" text,
	"respond_by" timestamp (3) with time zone,
	"opened_at" timestamp (3) with time zone NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "payment_disputes_gateway_dispute_id_unique" UNIQUE("gateway_dispute_id"),
	CONSTRAINT "payment_disputes_amount" CHECK ("payment_disputes"."amount" > 0)
);
--> statement-breakpoint
CREATE TABLE "sandbox_disputes" (
	"id" text PRIMARY KEY NOT NULL,
	"payment_id" text NOT NULL,
	"amount" integer NOT NULL,
	"amount_deducted" integer DEFAULT 0 NOT NULL,
	"phase" text NOT NULL,
	"status" text NOT NULL,
	"reason_code" text NOT NULL,
	"reason_description" text NOT NULL,
	"respond_by" timestamp (3) with time zone NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
ALTER TABLE "payment_attempts" ADD COLUMN "lost" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "gateway_events" ADD COLUMN "gateway_dispute_id" text;--> statement-breakpoint
ALTER TABLE "sandbox_disputes" ADD CONSTRAINT "sandbox_disputes_payment_id_sandbox_payments_id_fk" FOREIGN KEY ("payment_id") REFERENCES "public"."sandbox_payments"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "payment_disputes_payment_idx" ON "payment_disputes" USING btree ("gateway_payment_id");--> statement-breakpoint
CREATE INDEX "payment_disputes_status_idx" ON "payment_disputes" USING btree ("status","updated_at");--> statement-breakpoint
CREATE INDEX "payment_attempts_lost_idx" ON "payment_attempts" USING btree ("id","lost") WHERE lost > 0;--> statement-breakpoint
CREATE INDEX "gateway_events_dispute_idx" ON "gateway_events" USING btree ("gateway") WHERE gateway_dispute_id is not null;