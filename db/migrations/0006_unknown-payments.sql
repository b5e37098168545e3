CREATE TABLE "unknown_payments" (
	"id" uuid PRIMARY KEY NOT NULL,
	"gateway" text NOT NULL,
	"test_mode" boolean NOT NULL,
	"gateway_payment_id" text NOT NULL,
	"gateway_order_id" text NOT NULL,
	"receipt" text NOT NULL,
	"amount" integer NOT NULL,
	"currency" text NOT NULL,
	"method" text,
	"paid_at" timestamp (3) with time zone NOT NULL,
	"email" text,
	"phone" text,
	"tool_slug" text,
	"buyer_id" text,
	"validity" integer,
	"state" text DEFAULT 'waiting' NOT NULL,
	"purchase_id" uuid,
	"idempotency_key" text,
	"gateway_refund_id" text,
	"refunded" integer DEFAULT 0 NOT NULL,
	"tries" integer DEFAULT 0 NOT NULL,
	"last_error" text,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "unknown_payments_gateway_payment_id_unique" UNIQUE("gateway_payment_id"),
	CONSTRAINT "unknown_payments_idempotency_key_unique" UNIQUE("idempotency_key"),
	CONSTRAINT "unknown_payments_gateway_refund_id_unique" UNIQUE("gateway_refund_id"),
	CONSTRAINT "unknown_payments_amount" CHECK ("unknown_payments"."amount" > 0),
	CONSTRAINT "unknown_payments_assigned" CHECK (("unknown_payments"."state" = 'assigned') = ("unknown_payments"."purchase_id" is not null))
);
--> statement-breakpoint
ALTER TABLE "unknown_payments" ADD CONSTRAINT "unknown_payments_purchase_id_user_purchases_id_fk" FOREIGN KEY ("purchase_id") REFERENCES "public"."user_purchases"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "unknown_payments_open_idx" ON "unknown_payments" USING btree ("paid_at","id") WHERE state in ('waiting', 'refunding');