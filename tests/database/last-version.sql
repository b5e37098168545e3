-- The schema of the last version with one migration for each change, as its migrations made it.
CREATE TABLE "auth_accounts" (
	"id" uuid PRIMARY KEY NOT NULL,
	"user_id" uuid NOT NULL,
	"account_id" text NOT NULL,
	"provider_id" text NOT NULL,
	"access_token" text,
	"refresh_token" text,
	"id_token" text,
	"access_token_expires_at" timestamp (3) with time zone,
	"refresh_token_expires_at" timestamp (3) with time zone,
	"scope" text,
	"password" text,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);

CREATE TABLE "sessions" (
	"id" uuid PRIMARY KEY NOT NULL,
	"user_id" uuid NOT NULL,
	"token" text NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL,
	"ip_address" text,
	"user_agent" text,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "sessions_token_unique" UNIQUE("token")
);

CREATE TABLE "users" (
	"id" uuid PRIMARY KEY NOT NULL,
	"email" text NOT NULL,
	"email_verified" boolean DEFAULT false NOT NULL,
	"display_name" text DEFAULT '' NOT NULL,
	"photo_url" text,
	"role" text DEFAULT 'user' NOT NULL,
	"provider" text DEFAULT 'email' NOT NULL,
	"is_active" boolean DEFAULT true NOT NULL,
	"last_login" timestamp (3) with time zone,
	"deleted_at" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);

CREATE TABLE "verifications" (
	"id" uuid PRIMARY KEY NOT NULL,
	"identifier" text NOT NULL,
	"value" text NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);

CREATE TABLE "coupon_codes" (
	"id" uuid PRIMARY KEY NOT NULL,
	"code" text NOT NULL,
	"tool_id" uuid NOT NULL,
	"discount_percentage" integer NOT NULL,
	"is_active" boolean DEFAULT true NOT NULL,
	"usage_limit" integer,
	"uses_taken" integer DEFAULT 0 NOT NULL,
	"expires_at" timestamp (3) with time zone,
	"last_used" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "coupon_codes_discount_range" CHECK ("coupon_codes"."discount_percentage" between 1 and 100),
	CONSTRAINT "coupon_codes_limit" CHECK ("coupon_codes"."usage_limit" is null or "coupon_codes"."usage_limit" >= 1),
	CONSTRAINT "coupon_codes_taken" CHECK ("coupon_codes"."uses_taken" >= 0)
);

CREATE TABLE "tool_page_openers" (
	"id" uuid PRIMARY KEY NOT NULL,
	"page" text NOT NULL,
	"tool_id" uuid,
	"tool_name" text,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "tool_page_openers_one" CHECK (num_nonnulls("tool_page_openers"."tool_id", "tool_page_openers"."tool_name") = 1)
);

CREATE TABLE "tools" (
	"id" uuid PRIMARY KEY NOT NULL,
	"slug" text NOT NULL,
	"name" text NOT NULL,
	"description" text NOT NULL,
	"price_paise" integer NOT NULL,
	"original_price_paise" integer,
	"available_stock" integer DEFAULT 0 NOT NULL,
	"is_active" boolean DEFAULT true NOT NULL,
	"contact_only" boolean DEFAULT false NOT NULL,
	"features" jsonb DEFAULT '[]'::jsonb NOT NULL,
	"validity_days" integer DEFAULT 30 NOT NULL,
	"category" text DEFAULT 'other' NOT NULL,
	"badge" text,
	"pricing_options" jsonb DEFAULT '[]'::jsonb NOT NULL,
	"servers" jsonb DEFAULT '[]'::jsonb NOT NULL,
	"deleted_at" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "tools_slug_unique" UNIQUE("slug"),
	CONSTRAINT "tools_price_not_negative" CHECK ("tools"."price_paise" >= 0),
	CONSTRAINT "tools_stock_not_negative" CHECK ("tools"."available_stock" >= 0),
	CONSTRAINT "tools_validity_positive" CHECK ("tools"."validity_days" > 0),
	CONSTRAINT "tools_slug_lower" CHECK ("tools"."slug" = lower("tools"."slug"))
);

CREATE TABLE "audit_events" (
	"id" uuid PRIMARY KEY NOT NULL,
	"actor_kind" text NOT NULL,
	"actor_id" uuid,
	"action" text NOT NULL,
	"subject_type" text NOT NULL,
	"subject_id" text,
	"details" jsonb DEFAULT '{}'::jsonb NOT NULL,
	"request_id" text,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);

CREATE TABLE "mail_messages" (
	"id" uuid PRIMARY KEY NOT NULL,
	"recipient" text NOT NULL,
	"kind" text NOT NULL,
	"subject" text NOT NULL,
	"html" text NOT NULL,
	"text" text NOT NULL,
	"status" text DEFAULT 'queued' NOT NULL,
	"tries" integer DEFAULT 0 NOT NULL,
	"last_error" text,
	"sent_at" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);

CREATE TABLE "rate_limits" (
	"key" text PRIMARY KEY NOT NULL,
	"points" integer DEFAULT 0 NOT NULL,
	"expire" bigint
);

CREATE TABLE "settings" (
	"key" text PRIMARY KEY NOT NULL,
	"value" jsonb NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);

CREATE TABLE "gateway_events" (
	"id" uuid PRIMARY KEY NOT NULL,
	"gateway" text NOT NULL,
	"event_id" text NOT NULL,
	"type" text NOT NULL,
	"payload" text NOT NULL,
	"gateway_order_id" text,
	"handled_at" timestamp (3) with time zone,
	"last_error" text,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);

CREATE TABLE "payment_attempts" (
	"id" uuid PRIMARY KEY NOT NULL,
	"order_id" uuid NOT NULL,
	"gateway_payment_id" text NOT NULL,
	"status" text NOT NULL,
	"amount" integer NOT NULL,
	"method" text,
	"error_description" text,
	"captured_at" timestamp (3) with time zone,
	"outcome" text,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "payment_attempts_gateway_payment_id_unique" UNIQUE("gateway_payment_id")
);

CREATE TABLE "payment_orders" (
	"id" uuid PRIMARY KEY NOT NULL,
	"purchase_id" uuid NOT NULL,
	"gateway" text NOT NULL,
	"gateway_order_id" text,
	"receipt" text NOT NULL,
	"amount" integer NOT NULL,
	"currency" text NOT NULL,
	"test_mode" boolean NOT NULL,
	"state" text DEFAULT 'creating' NOT NULL,
	"checked_at" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "payment_orders_purchase_id_unique" UNIQUE("purchase_id"),
	CONSTRAINT "payment_orders_gateway_order_id_unique" UNIQUE("gateway_order_id"),
	CONSTRAINT "payment_orders_receipt_unique" UNIQUE("receipt"),
	CONSTRAINT "payment_orders_amount" CHECK ("payment_orders"."amount" >= 100)
);

CREATE TABLE "refunds" (
	"id" uuid PRIMARY KEY NOT NULL,
	"attempt_id" uuid NOT NULL,
	"amount" integer NOT NULL,
	"reason" text NOT NULL,
	"idempotency_key" text NOT NULL,
	"status" text NOT NULL,
	"gateway_refund_id" text,
	"tries" integer DEFAULT 0 NOT NULL,
	"last_error" text,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "refunds_idempotency_key_unique" UNIQUE("idempotency_key"),
	CONSTRAINT "refunds_gateway_refund_id_unique" UNIQUE("gateway_refund_id"),
	CONSTRAINT "refunds_amount" CHECK ("refunds"."amount" > 0)
);

CREATE TABLE "coupon_redemptions" (
	"id" uuid PRIMARY KEY NOT NULL,
	"purchase_id" uuid NOT NULL,
	"coupon_id" uuid NOT NULL,
	"state" text NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "coupon_redemptions_purchase_id_unique" UNIQUE("purchase_id")
);

CREATE TABLE "user_purchases" (
	"id" uuid PRIMARY KEY NOT NULL,
	"user_id" uuid NOT NULL,
	"user_email" text NOT NULL,
	"tool_id" uuid,
	"tool_name" text NOT NULL,
	"option_label" text,
	"validity" integer NOT NULL,
	"list_price_paise" integer NOT NULL,
	"discount_paise" integer DEFAULT 0 NOT NULL,
	"amount" integer NOT NULL,
	"currency" text DEFAULT 'INR' NOT NULL,
	"status" text NOT NULL,
	"source" text NOT NULL,
	"coupon_code" text,
	"starts_at" timestamp (3) with time zone,
	"captured_at" timestamp (3) with time zone,
	"expires_at" timestamp (3) with time zone,
	"hold_ends_at" timestamp (3) with time zone,
	"stock_state" text DEFAULT 'none' NOT NULL,
	"test_mode" boolean DEFAULT false NOT NULL,
	"assigned_by" text,
	"notes" text,
	"error_message" text,
	"failed_reason" text,
	"ended_at" timestamp (3) with time zone,
	"ended_reason" text,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "user_purchases_amount" CHECK ("user_purchases"."amount" >= 0),
	CONSTRAINT "user_purchases_ended" CHECK (("user_purchases"."ended_at" is null) = ("user_purchases"."ended_reason" is null)),
	CONSTRAINT "user_purchases_completed_has_times" CHECK ("user_purchases"."status" <> 'completed' or ("user_purchases"."starts_at" is not null and "user_purchases"."expires_at" is not null))
);

CREATE TABLE "sandbox_orders" (
	"id" text PRIMARY KEY NOT NULL,
	"receipt" text NOT NULL,
	"amount" integer NOT NULL,
	"currency" text NOT NULL,
	"status" text NOT NULL,
	"attempts" integer DEFAULT 0 NOT NULL,
	"notes" text DEFAULT '{}' NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "sandbox_orders_receipt_unique" UNIQUE("receipt")
);

CREATE TABLE "sandbox_payments" (
	"id" text PRIMARY KEY NOT NULL,
	"order_id" text NOT NULL,
	"amount" integer NOT NULL,
	"currency" text NOT NULL,
	"status" text NOT NULL,
	"amount_refunded" integer DEFAULT 0 NOT NULL,
	"error_description" text,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);

CREATE TABLE "sandbox_refunds" (
	"id" text PRIMARY KEY NOT NULL,
	"payment_id" text NOT NULL,
	"amount" integer NOT NULL,
	"idempotency_key" text,
	"status" text NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "sandbox_refunds_idempotency_key_unique" UNIQUE("idempotency_key")
);

CREATE TABLE "sandbox_webhooks" (
	"id" text PRIMARY KEY NOT NULL,
	"event" text NOT NULL,
	"body" text NOT NULL,
	"tries" integer DEFAULT 0 NOT NULL,
	"next_try_at" timestamp (3) with time zone NOT NULL,
	"delivered_at" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);

CREATE TABLE "access_codes" (
	"id" uuid PRIMARY KEY NOT NULL,
	"tool_id" uuid NOT NULL,
	"server_name" text NOT NULL,
	"simple_code_sealed" text NOT NULL,
	"simple_code_hash" text NOT NULL,
	"session_code_sealed" text NOT NULL,
	"session_code_hash" text NOT NULL,
	"is_active" boolean DEFAULT true NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);

CREATE TABLE "credentials" (
	"id" uuid PRIMARY KEY NOT NULL,
	"service" text NOT NULL,
	"email" text NOT NULL,
	"password_sealed" text NOT NULL,
	"is_active" boolean DEFAULT true NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);

ALTER TABLE "auth_accounts" ADD CONSTRAINT "auth_accounts_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;
ALTER TABLE "sessions" ADD CONSTRAINT "sessions_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;
ALTER TABLE "coupon_codes" ADD CONSTRAINT "coupon_codes_tool_id_tools_id_fk" FOREIGN KEY ("tool_id") REFERENCES "public"."tools"("id") ON DELETE no action ON UPDATE no action;
ALTER TABLE "tool_page_openers" ADD CONSTRAINT "tool_page_openers_tool_id_tools_id_fk" FOREIGN KEY ("tool_id") REFERENCES "public"."tools"("id") ON DELETE no action ON UPDATE no action;
ALTER TABLE "payment_attempts" ADD CONSTRAINT "payment_attempts_order_id_payment_orders_id_fk" FOREIGN KEY ("order_id") REFERENCES "public"."payment_orders"("id") ON DELETE no action ON UPDATE no action;
ALTER TABLE "payment_orders" ADD CONSTRAINT "payment_orders_purchase_id_user_purchases_id_fk" FOREIGN KEY ("purchase_id") REFERENCES "public"."user_purchases"("id") ON DELETE no action ON UPDATE no action;
ALTER TABLE "refunds" ADD CONSTRAINT "refunds_attempt_id_payment_attempts_id_fk" FOREIGN KEY ("attempt_id") REFERENCES "public"."payment_attempts"("id") ON DELETE no action ON UPDATE no action;
ALTER TABLE "coupon_redemptions" ADD CONSTRAINT "coupon_redemptions_purchase_id_user_purchases_id_fk" FOREIGN KEY ("purchase_id") REFERENCES "public"."user_purchases"("id") ON DELETE no action ON UPDATE no action;
ALTER TABLE "coupon_redemptions" ADD CONSTRAINT "coupon_redemptions_coupon_id_coupon_codes_id_fk" FOREIGN KEY ("coupon_id") REFERENCES "public"."coupon_codes"("id") ON DELETE no action ON UPDATE no action;
ALTER TABLE "user_purchases" ADD CONSTRAINT "user_purchases_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE no action ON UPDATE no action;
ALTER TABLE "user_purchases" ADD CONSTRAINT "user_purchases_tool_id_tools_id_fk" FOREIGN KEY ("tool_id") REFERENCES "public"."tools"("id") ON DELETE no action ON UPDATE no action;
ALTER TABLE "sandbox_payments" ADD CONSTRAINT "sandbox_payments_order_id_sandbox_orders_id_fk" FOREIGN KEY ("order_id") REFERENCES "public"."sandbox_orders"("id") ON DELETE no action ON UPDATE no action;
ALTER TABLE "sandbox_refunds" ADD CONSTRAINT "sandbox_refunds_payment_id_sandbox_payments_id_fk" FOREIGN KEY ("payment_id") REFERENCES "public"."sandbox_payments"("id") ON DELETE no action ON UPDATE no action;
ALTER TABLE "access_codes" ADD CONSTRAINT "access_codes_tool_id_tools_id_fk" FOREIGN KEY ("tool_id") REFERENCES "public"."tools"("id") ON DELETE no action ON UPDATE no action;
CREATE INDEX "auth_accounts_user_id_idx" ON "auth_accounts" USING btree ("user_id");
CREATE UNIQUE INDEX "auth_accounts_provider_key" ON "auth_accounts" USING btree ("provider_id","account_id");
CREATE INDEX "sessions_user_id_idx" ON "sessions" USING btree ("user_id");
CREATE UNIQUE INDEX "users_email_key" ON "users" USING btree (lower("email"));
CREATE INDEX "verifications_identifier_idx" ON "verifications" USING btree ("identifier");
CREATE UNIQUE INDEX "coupon_codes_code_key" ON "coupon_codes" USING btree (upper("code"));
CREATE UNIQUE INDEX "tool_page_openers_tool_key" ON "tool_page_openers" USING btree ("page","tool_id") WHERE tool_id is not null;
CREATE UNIQUE INDEX "tool_page_openers_name_key" ON "tool_page_openers" USING btree ("page",lower("tool_name")) WHERE tool_name is not null;
CREATE INDEX "tools_listing_idx" ON "tools" USING btree ("price_paise","name") WHERE deleted_at is null and is_active;
CREATE INDEX "audit_events_subject_idx" ON "audit_events" USING btree ("subject_type","subject_id");
CREATE INDEX "audit_events_actor_idx" ON "audit_events" USING btree ("actor_id");
CREATE INDEX "mail_messages_queued_idx" ON "mail_messages" USING btree ("created_at") WHERE status = 'queued';
CREATE UNIQUE INDEX "gateway_events_event_key" ON "gateway_events" USING btree ("gateway","event_id");
CREATE INDEX "gateway_events_unhandled_idx" ON "gateway_events" USING btree ("created_at") WHERE handled_at is null;
CREATE INDEX "payment_attempts_order_idx" ON "payment_attempts" USING btree ("order_id");
CREATE UNIQUE INDEX "payment_attempts_one_pass_key" ON "payment_attempts" USING btree ("order_id") WHERE outcome = 'pass';
CREATE INDEX "payment_orders_open_idx" ON "payment_orders" USING btree ("created_at") WHERE state <> 'settled';
CREATE INDEX "refunds_unfinished_idx" ON "refunds" USING btree ("created_at") WHERE status in ('requested', 'processing');
CREATE UNIQUE INDEX "user_purchases_one_pending_key" ON "user_purchases" USING btree ("user_id","tool_id") WHERE status = 'pending';
CREATE INDEX "user_purchases_user_idx" ON "user_purchases" USING btree ("user_id","created_at");
CREATE INDEX "user_purchases_holds_idx" ON "user_purchases" USING btree ("hold_ends_at") WHERE status = 'pending';
CREATE INDEX "sandbox_payments_order_idx" ON "sandbox_payments" USING btree ("order_id");
CREATE UNIQUE INDEX "sandbox_payments_paid_key" ON "sandbox_payments" USING btree ("order_id") WHERE status in ('captured', 'refunded');
CREATE INDEX "sandbox_webhooks_due_idx" ON "sandbox_webhooks" USING btree ("next_try_at") WHERE delivered_at is null;
CREATE INDEX "access_codes_tool_idx" ON "access_codes" USING btree ("tool_id","server_name");
CREATE INDEX "access_codes_simple_idx" ON "access_codes" USING btree ("simple_code_hash");
CREATE INDEX "access_codes_session_idx" ON "access_codes" USING btree ("session_code_hash");
-- Running passes of one user and tool never overlap, whatever path made them. Test passes stand apart: they open nothing
-- once real money moves, so they must not keep a real pass from coming to life.
CREATE EXTENSION IF NOT EXISTS btree_gist;
ALTER TABLE "user_purchases" ADD CONSTRAINT "user_purchases_no_overlap"
  EXCLUDE USING gist ("user_id" WITH =, "tool_id" WITH =, ("test_mode"::int) WITH =, tstzrange("starts_at", "expires_at") WITH &&)
  WHERE ("status" IN ('completed', 'active') AND "ended_at" IS NULL);
DROP INDEX "users_email_key";
CREATE INDEX "refunds_attempt_idx" ON "refunds" USING btree ("attempt_id");
CREATE UNIQUE INDEX "users_email_key" ON "users" USING btree ("email");
ALTER TABLE "users" ADD CONSTRAINT "users_email_lower" CHECK ("users"."email" = lower("users"."email"));
DROP INDEX "payment_orders_open_idx";
ALTER TABLE "payment_orders" ADD COLUMN "next_check_at" timestamp (3) with time zone;
ALTER TABLE "user_purchases" ADD COLUMN "hold_network" text;
CREATE INDEX "payment_orders_check_idx" ON "payment_orders" USING btree ("next_check_at") WHERE next_check_at is not null;
CREATE INDEX "coupon_redemptions_coupon_idx" ON "coupon_redemptions" USING btree ("coupon_id","updated_at");
CREATE INDEX "user_purchases_hold_network_idx" ON "user_purchases" USING btree ("hold_network") WHERE hold_network is not null;
CREATE INDEX "payment_orders_open_idx" ON "payment_orders" USING btree ("created_at") WHERE state in ('creating', 'open');
-- Orders made before there was a schedule: all that may still bring money are looked at soon.
UPDATE "payment_orders" SET "next_check_at" = now()
  WHERE "state" IN ('creating', 'open') OR ("state" = 'settled' AND "created_at" > now() - interval '5 days');
ALTER TABLE "gateway_events" ADD COLUMN "gateway_payment_id" text;
ALTER TABLE "payment_attempts" ADD COLUMN "refunded_at_gateway" integer DEFAULT 0 NOT NULL;
ALTER TABLE "payment_orders" ADD COLUMN "answers_booked" integer DEFAULT 0 NOT NULL;
ALTER TABLE "payment_attempts" ADD COLUMN "uncaptured_reason" text;
CREATE INDEX "audit_events_failed_sign_ins_idx" ON "audit_events" USING btree ("created_at") WHERE action in ('account.sign-in-failed', 'admin.sign-in-failed');
CREATE INDEX "mail_messages_unsent_resets_idx" ON "mail_messages" USING btree ("created_at") WHERE kind = 'password-reset' and status <> 'sent';
-- Links of mails that earlier versions sent stand in clear.
UPDATE "mail_messages" SET "html" = '', "text" = '' WHERE kind = 'password-reset' and status = 'sent';
DROP INDEX "coupon_codes_code_key";
ALTER TABLE "sessions" ADD COLUMN "password_entered_at" timestamp (3) with time zone;
ALTER TABLE "coupon_codes" ADD COLUMN "deleted_at" timestamp (3) with time zone;
ALTER TABLE "coupon_codes" ADD COLUMN "version" integer DEFAULT 1 NOT NULL;
ALTER TABLE "tools" ADD COLUMN "launch_url" text;
ALTER TABLE "tools" ADD COLUMN "credential_service" text;
ALTER TABLE "tools" ADD COLUMN "version" integer DEFAULT 1 NOT NULL;
ALTER TABLE "access_codes" ADD COLUMN "version" integer DEFAULT 1 NOT NULL;
ALTER TABLE "credentials" ADD COLUMN "version" integer DEFAULT 1 NOT NULL;
CREATE UNIQUE INDEX "coupon_codes_code_key" ON "coupon_codes" USING btree (upper("code")) WHERE deleted_at is null;
-- For searches of a part of a text. Like btree_gist, it is a trusted extension: the owner of the database may create it.
CREATE EXTENSION IF NOT EXISTS pg_trgm;
-- How often a searched text matches is estimated from a sample; the default one is too small for rare texts.
ALTER TABLE "users" ALTER COLUMN "email" SET STATISTICS 1000, ALTER COLUMN "display_name" SET STATISTICS 1000;
ALTER TABLE "user_purchases" ALTER COLUMN "tool_name" SET STATISTICS 1000;
DROP INDEX "audit_events_actor_idx";
CREATE INDEX "users_created_idx" ON "users" USING btree ("created_at","id") WHERE deleted_at is null;
CREATE INDEX "users_last_login_idx" ON "users" USING btree ("last_login" DESC NULLS LAST,"id" DESC NULLS FIRST) WHERE deleted_at is null;
CREATE INDEX "users_provider_idx" ON "users" USING btree ("provider","created_at","id") WHERE deleted_at is null;
CREATE INDEX "users_search_idx" ON "users" USING gin ("email" gin_trgm_ops,"display_name" gin_trgm_ops);
CREATE INDEX "coupon_codes_created_idx" ON "coupon_codes" USING btree ("created_at","id") WHERE deleted_at is null;
CREATE INDEX "coupon_codes_tool_idx" ON "coupon_codes" USING btree ("tool_id","created_at","id") WHERE deleted_at is null;
CREATE INDEX "coupon_codes_search_idx" ON "coupon_codes" USING gin ("code" gin_trgm_ops);
CREATE INDEX "audit_events_created_idx" ON "audit_events" USING btree ("created_at","id");
CREATE INDEX "audit_events_actor_kind_idx" ON "audit_events" USING btree ("actor_kind","created_at","id");
CREATE INDEX "audit_events_action_idx" ON "audit_events" USING btree ("action","created_at","id");
CREATE INDEX "audit_events_subject_id_idx" ON "audit_events" USING btree ("subject_id","created_at","id");
CREATE INDEX "user_purchases_created_idx" ON "user_purchases" USING btree ("created_at","id");
CREATE INDEX "user_purchases_unpaid_idx" ON "user_purchases" USING btree ("created_at","id") WHERE status in ('pending', 'failed');
CREATE INDEX "user_purchases_expires_idx" ON "user_purchases" USING btree ("expires_at" DESC NULLS LAST,"created_at" DESC NULLS FIRST,"id" DESC NULLS FIRST,"ended_at","status");
CREATE INDEX "user_purchases_tool_name_idx" ON "user_purchases" USING btree ("tool_name","created_at","id");
CREATE INDEX "access_codes_created_idx" ON "access_codes" USING btree ("created_at","id");
CREATE INDEX "audit_events_actor_idx" ON "audit_events" USING btree ("actor_id","created_at","id");
CREATE TABLE "counter_changes" (
	"name" text NOT NULL,
	"bucket" timestamp (3) with time zone NOT NULL,
	"count" integer NOT NULL,
	"paise" bigint NOT NULL
);

CREATE TABLE "counters" (
	"name" text NOT NULL,
	"bucket" timestamp (3) with time zone NOT NULL,
	"count" bigint NOT NULL,
	"paise" bigint NOT NULL
);

CREATE UNIQUE INDEX "counters_key" ON "counters" USING btree ("name","bucket");
-- The counter of an account; null when it is not counted.
CREATE FUNCTION user_counter(row_of users) RETURNS text LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE WHEN row_of.deleted_at IS NULL
    THEN 'users.' || row_of.provider || CASE WHEN row_of.is_active THEN '.active' ELSE '.inactive' END END
$$;
-- The counter of a purchase; null when it is not counted.
CREATE FUNCTION purchase_counter(row_of user_purchases) RETURNS text LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE WHEN row_of.ended_reason IN ('deleted', 'user-deleted') THEN NULL
    ELSE 'purchases.' || CASE WHEN row_of.status = 'active' THEN 'completed' ELSE row_of.status END
      || CASE WHEN row_of.ended_at IS NOT NULL THEN '.ended'
           WHEN row_of.test_mode AND row_of.status IN ('completed', 'active') THEN '.test' ELSE '' END END
$$;
-- Passes are counted by the quarter of an hour of their end, so that those that have not expired can be counted.
CREATE FUNCTION purchase_bucket(row_of user_purchases) RETURNS timestamptz LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE WHEN row_of.status IN ('completed', 'active') AND row_of.ended_at IS NULL AND row_of.expires_at IS NOT NULL
    THEN date_bin('15 minutes', row_of.expires_at, 'epoch'::timestamptz) ELSE 'epoch'::timestamptz END
$$;
CREATE FUNCTION payment_bucket(row_of payment_attempts) RETURNS timestamptz LANGUAGE sql IMMUTABLE AS $$
  SELECT date_bin('15 minutes', coalesce(row_of.captured_at, row_of.created_at), 'epoch'::timestamptz)
$$;
CREATE FUNCTION payment_counter(is_test boolean) RETURNS text LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE WHEN is_test THEN 'payments.test' ELSE 'payments' END
$$;
-- What every counter must be. `count` of payments: those that were not refunded in full.
CREATE VIEW expected_counters AS
  SELECT user_counter(u) AS name, 'epoch'::timestamptz AS bucket, count(*) AS count, 0::bigint AS paise
  FROM users u WHERE u.deleted_at IS NULL GROUP BY 1
  UNION ALL
  SELECT 'coupons', 'epoch'::timestamptz, count(*), 0 FROM coupon_codes WHERE deleted_at IS NULL HAVING count(*) > 0
  UNION ALL
  SELECT purchase_counter(p), purchase_bucket(p), count(*), 0
  FROM user_purchases p WHERE purchase_counter(p) IS NOT NULL GROUP BY 1, 2
  UNION ALL
  SELECT name, bucket, count(*) FILTER (WHERE kept > 0), sum(kept)::bigint FROM (
    SELECT payment_counter(o.test_mode) AS name, payment_bucket(a) AS bucket,
      a.amount::bigint - greatest(coalesce(r.paise, 0), a.refunded_at_gateway) AS kept
    FROM payment_attempts a
    JOIN payment_orders o ON o.id = a.order_id
    LEFT JOIN (SELECT attempt_id, sum(amount) AS paise FROM refunds WHERE status = 'processed' GROUP BY attempt_id) r
      ON r.attempt_id = a.id
    WHERE a.status = 'captured'
  ) payments GROUP BY 1, 2;
CREATE FUNCTION count_users() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP <> 'INSERT' AND OLD.deleted_at IS NULL THEN
    INSERT INTO counter_changes VALUES (user_counter(OLD), 'epoch', -1, 0);
  END IF;
  IF TG_OP <> 'DELETE' AND NEW.deleted_at IS NULL THEN
    INSERT INTO counter_changes VALUES (user_counter(NEW), 'epoch', 1, 0);
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER users_counted AFTER INSERT OR DELETE ON users FOR EACH ROW EXECUTE FUNCTION count_users();
CREATE TRIGGER users_recounted AFTER UPDATE ON users FOR EACH ROW
  WHEN (OLD.is_active <> NEW.is_active OR OLD.provider <> NEW.provider OR (OLD.deleted_at IS NULL) <> (NEW.deleted_at IS NULL))
  EXECUTE FUNCTION count_users();
CREATE FUNCTION count_coupons() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP <> 'INSERT' AND OLD.deleted_at IS NULL THEN
    INSERT INTO counter_changes VALUES ('coupons', 'epoch', -1, 0);
  END IF;
  IF TG_OP <> 'DELETE' AND NEW.deleted_at IS NULL THEN
    INSERT INTO counter_changes VALUES ('coupons', 'epoch', 1, 0);
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER coupon_codes_counted AFTER INSERT OR DELETE ON coupon_codes FOR EACH ROW EXECUTE FUNCTION count_coupons();
CREATE TRIGGER coupon_codes_recounted AFTER UPDATE ON coupon_codes FOR EACH ROW
  WHEN ((OLD.deleted_at IS NULL) <> (NEW.deleted_at IS NULL)) EXECUTE FUNCTION count_coupons();
CREATE FUNCTION count_purchases() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  old_name text; new_name text; old_bucket timestamptz; new_bucket timestamptz;
BEGIN
  IF TG_OP <> 'INSERT' THEN old_name := purchase_counter(OLD); old_bucket := purchase_bucket(OLD); END IF;
  IF TG_OP <> 'DELETE' THEN new_name := purchase_counter(NEW); new_bucket := purchase_bucket(NEW); END IF;
  IF old_name = new_name AND old_bucket = new_bucket THEN RETURN NULL; END IF;
  INSERT INTO counter_changes
    SELECT * FROM (VALUES (old_name, old_bucket, -1, 0::bigint), (new_name, new_bucket, 1, 0::bigint)) changed (name)
    WHERE name IS NOT NULL;
  RETURN NULL;
END $$;
CREATE TRIGGER user_purchases_counted AFTER INSERT OR DELETE ON user_purchases FOR EACH ROW EXECUTE FUNCTION count_purchases();
CREATE TRIGGER user_purchases_recounted AFTER UPDATE ON user_purchases FOR EACH ROW
  WHEN (OLD.status <> NEW.status OR OLD.ended_at IS DISTINCT FROM NEW.ended_at
    OR OLD.ended_reason IS DISTINCT FROM NEW.ended_reason OR OLD.expires_at IS DISTINCT FROM NEW.expires_at
    OR OLD.test_mode <> NEW.test_mode)
  EXECUTE FUNCTION count_purchases();
-- `sign` is 1 or -1, `refunded` the sum of the processed refunds of the payment.
CREATE FUNCTION count_payment(attempt payment_attempts, refunded bigint, sign integer) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  kept bigint := attempt.amount - greatest(refunded, attempt.refunded_at_gateway);
BEGIN
  INSERT INTO counter_changes
    SELECT payment_counter(o.test_mode), payment_bucket(attempt), CASE WHEN kept > 0 THEN sign ELSE 0 END, sign * kept
    FROM payment_orders o WHERE o.id = attempt.order_id;
END $$;
CREATE FUNCTION count_attempts() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  refunded bigint := 0;
BEGIN
  -- A new payment has no refund, and one that is deleted has none any more.
  IF TG_OP = 'UPDATE' THEN
    SELECT coalesce(sum(amount), 0) INTO refunded FROM refunds WHERE attempt_id = NEW.id AND status = 'processed';
  END IF;
  IF TG_OP <> 'INSERT' AND OLD.status = 'captured' THEN PERFORM count_payment(OLD, refunded, -1); END IF;
  IF TG_OP <> 'DELETE' AND NEW.status = 'captured' THEN PERFORM count_payment(NEW, refunded, 1); END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER payment_attempts_inserted AFTER INSERT ON payment_attempts FOR EACH ROW
  WHEN (NEW.status = 'captured') EXECUTE FUNCTION count_attempts();
CREATE TRIGGER payment_attempts_deleted AFTER DELETE ON payment_attempts FOR EACH ROW
  WHEN (OLD.status = 'captured') EXECUTE FUNCTION count_attempts();
CREATE TRIGGER payment_attempts_recounted AFTER UPDATE ON payment_attempts FOR EACH ROW
  WHEN ((OLD.status = 'captured' OR NEW.status = 'captured') AND (OLD.status <> NEW.status OR OLD.amount <> NEW.amount
    OR OLD.refunded_at_gateway <> NEW.refunded_at_gateway OR OLD.created_at <> NEW.created_at
    OR OLD.captured_at IS DISTINCT FROM NEW.captured_at))
  EXECUTE FUNCTION count_attempts();
-- The payment is locked, because two transactions may change its refunds, or it and a refund, at the same time. One
-- statement changes at most one refund of a payment.
CREATE FUNCTION count_refunds() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  attempt payment_attempts; refunded bigint; before bigint;
BEGIN
  SELECT * INTO attempt FROM payment_attempts
    WHERE id = CASE WHEN TG_OP = 'DELETE' THEN OLD.attempt_id ELSE NEW.attempt_id END FOR NO KEY UPDATE;
  IF attempt.status IS DISTINCT FROM 'captured' THEN RETURN NULL; END IF;
  SELECT coalesce(sum(amount), 0) INTO refunded FROM refunds WHERE attempt_id = attempt.id AND status = 'processed';
  before := refunded;
  IF TG_OP <> 'DELETE' AND NEW.status = 'processed' THEN before := before - NEW.amount; END IF;
  IF TG_OP <> 'INSERT' AND OLD.status = 'processed' THEN before := before + OLD.amount; END IF;
  PERFORM count_payment(attempt, before, -1);
  PERFORM count_payment(attempt, refunded, 1);
  RETURN NULL;
END $$;
CREATE TRIGGER refunds_inserted AFTER INSERT ON refunds FOR EACH ROW
  WHEN (NEW.status = 'processed') EXECUTE FUNCTION count_refunds();
CREATE TRIGGER refunds_deleted AFTER DELETE ON refunds FOR EACH ROW
  WHEN (OLD.status = 'processed') EXECUTE FUNCTION count_refunds();
CREATE TRIGGER refunds_recounted AFTER UPDATE ON refunds FOR EACH ROW
  WHEN ((OLD.status = 'processed' OR NEW.status = 'processed') AND (OLD.status <> NEW.status OR OLD.amount <> NEW.amount))
  EXECUTE FUNCTION count_refunds();
-- The triggers' locks keep other writers out until this transaction ends.
INSERT INTO counters (name, bucket, count, paise) SELECT name, bucket, count, paise FROM expected_counters;
DROP INDEX "user_purchases_created_idx";
DROP INDEX "user_purchases_expires_idx";
CREATE INDEX "users_provider_login_idx" ON "users" USING btree ("provider","last_login" DESC NULLS LAST,"id" DESC NULLS FIRST) WHERE deleted_at is null;
CREATE INDEX "user_purchases_created_idx" ON "user_purchases" USING btree ("created_at","id","status","ended_reason");
CREATE INDEX "user_purchases_expires_idx" ON "user_purchases" USING btree ("expires_at" DESC NULLS LAST,"created_at" DESC NULLS FIRST,"id" DESC NULLS FIRST,"ended_at","status","ended_reason");
DROP INDEX "access_codes_simple_idx";
DROP INDEX "audit_events_failed_sign_ins_idx";
DROP INDEX "user_purchases_unpaid_idx";
CREATE INDEX "mail_messages_recipient_idx" ON "mail_messages" USING btree ("recipient");
CREATE INDEX "gateway_events_order_idx" ON "gateway_events" USING btree ("gateway_order_id") WHERE gateway_order_id is not null;
-- The operations and the checks of the catalogue file refuse equal codes and sign-ins. Rows that somebody wrote by hand
-- may be equal; then the shop must start all the same, with an index that is not unique.
DO $$ BEGIN
  CREATE UNIQUE INDEX "access_codes_simple_key" ON "access_codes" USING btree ("simple_code_hash");
EXCEPTION WHEN unique_violation THEN
  CREATE INDEX "access_codes_simple_key" ON "access_codes" USING btree ("simple_code_hash");
END $$;
DO $$ BEGIN
  CREATE UNIQUE INDEX "credentials_sign_in_key" ON "credentials" USING btree ("service",lower("email"));
EXCEPTION WHEN unique_violation THEN
  CREATE INDEX "credentials_sign_in_key" ON "credentials" USING btree ("service",lower("email"));
END $$;
CREATE INDEX "audit_events_failed_sign_ins_idx" ON "audit_events" USING btree ("created_at") WHERE action in ('account.sign-in-failed', 'admin.sign-in-failed', 'admin.password-confirmation-failed');
CREATE INDEX "user_purchases_unpaid_idx" ON "user_purchases" USING btree ("created_at","id","status","ended_at","ended_reason","expires_at") WHERE status in ('pending', 'failed');
-- Open checkouts are few and have an index, so they are counted one by one. A purchase then writes two changes of
-- counters in place of four.
CREATE OR REPLACE FUNCTION purchase_counter(row_of user_purchases) RETURNS text LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE WHEN row_of.ended_reason IN ('deleted', 'user-deleted') THEN NULL
    WHEN row_of.status = 'pending' AND row_of.ended_at IS NULL THEN NULL
    ELSE 'purchases.' || CASE WHEN row_of.status = 'active' THEN 'completed' ELSE row_of.status END
      || CASE WHEN row_of.ended_at IS NOT NULL THEN '.ended'
           WHEN row_of.test_mode AND row_of.status IN ('completed', 'active') THEN '.test' ELSE '' END END
$$;
CREATE OR REPLACE FUNCTION count_purchases() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  old_name text; new_name text; old_bucket timestamptz; new_bucket timestamptz;
BEGIN
  IF TG_OP <> 'INSERT' THEN old_name := purchase_counter(OLD); END IF;
  IF TG_OP <> 'DELETE' THEN new_name := purchase_counter(NEW); END IF;
  IF old_name IS NOT NULL THEN old_bucket := purchase_bucket(OLD); END IF;
  IF new_name IS NOT NULL THEN new_bucket := purchase_bucket(NEW); END IF;
  IF old_name = new_name AND old_bucket = new_bucket THEN RETURN NULL; END IF;
  IF old_name IS NOT NULL THEN INSERT INTO counter_changes VALUES (old_name, old_bucket, -1, 0); END IF;
  IF new_name IS NOT NULL THEN INSERT INTO counter_changes VALUES (new_name, new_bucket, 1, 0); END IF;
  RETURN NULL;
END $$;
DROP TRIGGER user_purchases_counted ON user_purchases;
CREATE TRIGGER user_purchases_inserted AFTER INSERT ON user_purchases FOR EACH ROW
  WHEN (NEW.status <> 'pending' OR NEW.ended_at IS NOT NULL) EXECUTE FUNCTION count_purchases();
CREATE TRIGGER user_purchases_deleted AFTER DELETE ON user_purchases FOR EACH ROW EXECUTE FUNCTION count_purchases();
-- A new payment has no refund of the shop.
CREATE FUNCTION count_new_payment() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO counter_changes
    SELECT payment_counter(o.test_mode), payment_bucket(NEW), (NEW.amount > NEW.refunded_at_gateway)::integer,
      NEW.amount::bigint - NEW.refunded_at_gateway
    FROM payment_orders o WHERE o.id = NEW.order_id;
  RETURN NULL;
END $$;
DROP TRIGGER payment_attempts_inserted ON payment_attempts;
CREATE TRIGGER payment_attempts_inserted AFTER INSERT ON payment_attempts FOR EACH ROW
  WHEN (NEW.status = 'captured') EXECUTE FUNCTION count_new_payment();
DELETE FROM counters WHERE name = 'purchases.pending';
DELETE FROM counter_changes WHERE name = 'purchases.pending';
DROP INDEX "user_purchases_tool_name_idx";
CREATE INDEX "user_purchases_tool_name_idx" ON "user_purchases" USING btree ("tool_name","created_at","id","status","ended_at","expires_at");
CREATE TABLE "device_sessions" (
	"id" uuid PRIMARY KEY NOT NULL,
	"device_id" uuid NOT NULL,
	"tool_id" uuid NOT NULL,
	"server_id" text NOT NULL,
	"access_code_id" uuid,
	"redeemed_at" timestamp (3) with time zone NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);

CREATE TABLE "device_tickets" (
	"ticket_hash" text PRIMARY KEY NOT NULL,
	"user_id" uuid NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL,
	"used_at" timestamp (3) with time zone
);

CREATE TABLE "devices" (
	"id" uuid PRIMARY KEY NOT NULL,
	"user_id" uuid NOT NULL,
	"installation_id" uuid NOT NULL,
	"name" text NOT NULL,
	"extension_version" text NOT NULL,
	"token_hash" text NOT NULL,
	"last_seen_at" timestamp (3) with time zone NOT NULL,
	"released_at" timestamp (3) with time zone,
	"released_by" text,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "devices_token_hash_unique" UNIQUE("token_hash")
);

CREATE TABLE "access_code_reports" (
	"id" uuid PRIMARY KEY NOT NULL,
	"access_code_id" uuid NOT NULL,
	"user_id" uuid NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);

ALTER TABLE "tools" ADD COLUMN "how_to_use" jsonb DEFAULT '[]'::jsonb NOT NULL;
ALTER TABLE "access_codes" ADD COLUMN "code_changed_at" timestamp (3) with time zone DEFAULT now() NOT NULL;
ALTER TABLE "credentials" ADD COLUMN "sign_in_changed_at" timestamp (3) with time zone DEFAULT now() NOT NULL;
ALTER TABLE "device_sessions" ADD CONSTRAINT "device_sessions_device_id_devices_id_fk" FOREIGN KEY ("device_id") REFERENCES "public"."devices"("id") ON DELETE cascade ON UPDATE no action;
ALTER TABLE "device_sessions" ADD CONSTRAINT "device_sessions_tool_id_tools_id_fk" FOREIGN KEY ("tool_id") REFERENCES "public"."tools"("id") ON DELETE no action ON UPDATE no action;
ALTER TABLE "device_sessions" ADD CONSTRAINT "device_sessions_access_code_id_access_codes_id_fk" FOREIGN KEY ("access_code_id") REFERENCES "public"."access_codes"("id") ON DELETE set null ON UPDATE no action;
ALTER TABLE "device_tickets" ADD CONSTRAINT "device_tickets_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;
ALTER TABLE "devices" ADD CONSTRAINT "devices_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;
ALTER TABLE "access_code_reports" ADD CONSTRAINT "access_code_reports_access_code_id_access_codes_id_fk" FOREIGN KEY ("access_code_id") REFERENCES "public"."access_codes"("id") ON DELETE cascade ON UPDATE no action;
ALTER TABLE "access_code_reports" ADD CONSTRAINT "access_code_reports_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;
CREATE UNIQUE INDEX "device_sessions_server_key" ON "device_sessions" USING btree ("device_id","tool_id","server_id");
CREATE INDEX "device_sessions_access_code_idx" ON "device_sessions" USING btree ("access_code_id");
CREATE INDEX "device_tickets_expires_idx" ON "device_tickets" USING btree ("expires_at");
CREATE INDEX "device_tickets_user_idx" ON "device_tickets" USING btree ("user_id");
CREATE UNIQUE INDEX "devices_installation_key" ON "devices" USING btree ("user_id","installation_id") WHERE released_at is null;
CREATE INDEX "devices_user_idx" ON "devices" USING btree ("user_id","created_at");
CREATE INDEX "access_code_reports_code_idx" ON "access_code_reports" USING btree ("access_code_id","created_at");
CREATE INDEX "access_code_reports_user_idx" ON "access_code_reports" USING btree ("user_id","access_code_id","created_at");
ALTER TABLE "tools" ADD COLUMN "works_on" jsonb DEFAULT '[]'::jsonb NOT NULL;
CREATE TABLE "giveaway_rounds" (
	"id" uuid PRIMARY KEY NOT NULL,
	"starts_at" timestamp (3) with time zone NOT NULL,
	"ends_at" timestamp (3) with time zone NOT NULL,
	"tool_id" uuid NOT NULL,
	"validity" integer NOT NULL,
	"winner_user_id" uuid,
	"claimed_at" timestamp (3) with time zone,
	"purchase_id" uuid,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "giveaway_rounds_purchase_id_unique" UNIQUE("purchase_id"),
	CONSTRAINT "giveaway_rounds_times" CHECK ("giveaway_rounds"."starts_at" < "giveaway_rounds"."ends_at"),
	CONSTRAINT "giveaway_rounds_validity" CHECK ("giveaway_rounds"."validity" > 0),
	CONSTRAINT "giveaway_rounds_claim" CHECK (num_nonnulls("giveaway_rounds"."winner_user_id", "giveaway_rounds"."claimed_at", "giveaway_rounds"."purchase_id") in (0, 3))
);

ALTER TABLE "giveaway_rounds" ADD CONSTRAINT "giveaway_rounds_tool_id_tools_id_fk" FOREIGN KEY ("tool_id") REFERENCES "public"."tools"("id") ON DELETE no action ON UPDATE no action;
ALTER TABLE "giveaway_rounds" ADD CONSTRAINT "giveaway_rounds_winner_user_id_users_id_fk" FOREIGN KEY ("winner_user_id") REFERENCES "public"."users"("id") ON DELETE no action ON UPDATE no action;
ALTER TABLE "giveaway_rounds" ADD CONSTRAINT "giveaway_rounds_purchase_id_user_purchases_id_fk" FOREIGN KEY ("purchase_id") REFERENCES "public"."user_purchases"("id") ON DELETE no action ON UPDATE no action;
CREATE UNIQUE INDEX "giveaway_rounds_start_key" ON "giveaway_rounds" USING btree ("starts_at");
-- No two rounds at the same time, whatever the time zone of the store was when they were opened.
ALTER TABLE "giveaway_rounds" ADD CONSTRAINT "giveaway_rounds_no_overlap"
  EXCLUDE USING gist (tstzrange("starts_at", "ends_at") WITH &&);
DROP INDEX "mail_messages_queued_idx";
ALTER TABLE "mail_messages" ADD COLUMN "next_try_at" timestamp (3) with time zone DEFAULT now() NOT NULL;
ALTER TABLE "mail_messages" ADD COLUMN "valid_until" timestamp (3) with time zone;
ALTER TABLE "mail_messages" ADD COLUMN "purchase_id" uuid;
ALTER TABLE "mail_messages" ADD CONSTRAINT "mail_messages_purchase_id_user_purchases_id_fk" FOREIGN KEY ("purchase_id") REFERENCES "public"."user_purchases"("id") ON DELETE no action ON UPDATE no action;
CREATE INDEX "mail_messages_due_idx" ON "mail_messages" USING btree ("next_try_at") WHERE status = 'queued';
CREATE INDEX "mail_messages_created_idx" ON "mail_messages" USING btree ("created_at","id");
CREATE INDEX "mail_messages_failed_idx" ON "mail_messages" USING btree ("created_at","id") WHERE status = 'failed';
ALTER TABLE "mail_messages" ADD CONSTRAINT "mail_messages_purchase_id_unique" UNIQUE("purchase_id");
DROP INDEX "audit_events_failed_sign_ins_idx";
CREATE INDEX "audit_events_failed_sign_ins_idx" ON "audit_events" USING btree ("created_at") WHERE action in ('account.sign-in-failed', 'account.password-change-failed', 'admin.sign-in-failed', 'admin.password-confirmation-failed');
ALTER TABLE "mail_messages" ADD COLUMN "last_failed_at" timestamp (3) with time zone;
CREATE INDEX "mail_messages_sent_idx" ON "mail_messages" USING btree ("sent_at") WHERE status = 'sent';
DROP INDEX "auth_accounts_provider_key";
ALTER TABLE "auth_accounts" ADD COLUMN "issuer" text DEFAULT '' NOT NULL;
CREATE UNIQUE INDEX "auth_accounts_provider_key" ON "auth_accounts" USING btree ("provider_id","issuer","account_id");
ALTER TABLE "tools" ADD COLUMN "credential_id" uuid;
-- Declared here only: in db/tables the files of tools and credentials would import each other.
ALTER TABLE "tools" ADD CONSTRAINT "tools_credential_id_credentials_id_fk" FOREIGN KEY ("credential_id") REFERENCES "public"."credentials"("id") ON DELETE SET NULL;
ALTER TABLE "tools" ADD COLUMN "sells_when_not_ready" boolean DEFAULT false NOT NULL;
DROP INDEX "audit_events_failed_sign_ins_idx";
CREATE INDEX "audit_events_failed_sign_ins_idx" ON "audit_events" USING btree ("created_at") WHERE action in ('account.sign-in-failed', 'account.password-change-failed', 'account.signed-in', 'account.signed-out', 'admin.sign-in-failed', 'admin.password-confirmation-failed', 'admin.request-refused');
ALTER TABLE "tools" ADD COLUMN "stock_from_codes" boolean DEFAULT false NOT NULL;
ALTER TABLE "access_codes" ADD COLUMN "per_buyer" boolean DEFAULT false NOT NULL;
ALTER TABLE "access_codes" ADD COLUMN "pass_id" uuid;
ALTER TABLE "access_codes" ADD COLUMN "taken_at" timestamp (3) with time zone;
ALTER TABLE "access_codes" ADD CONSTRAINT "access_codes_pass_id_user_purchases_id_fk" FOREIGN KEY ("pass_id") REFERENCES "public"."user_purchases"("id") ON DELETE no action ON UPDATE no action;
CREATE UNIQUE INDEX "access_codes_pass_key" ON "access_codes" USING btree ("pass_id","tool_id",lower(btrim("server_name"))) WHERE pass_id is not null and is_active;
ALTER TABLE "access_codes" ADD CONSTRAINT "access_codes_taken_per_buyer" CHECK ("access_codes"."pass_id" is null or "access_codes"."per_buyer");
ALTER TABLE "access_codes" ADD CONSTRAINT "access_codes_taken_at" CHECK (("access_codes"."pass_id" is null) = ("access_codes"."taken_at" is null));
UPDATE "tools" SET "servers" = (
  SELECT jsonb_agg(
    CASE WHEN EXISTS (
      SELECT 1 FROM "access_codes"
      WHERE "tool_id" = "tools"."id" AND "per_buyer" AND lower(btrim("server_name")) = lower(btrim("server" ->> 'name'))
    ) THEN "server" || '{"perBuyer": true}' ELSE "server" END
    ORDER BY "place"
  )
  FROM jsonb_array_elements("servers") WITH ORDINALITY AS "listed" ("server", "place")
)
WHERE jsonb_array_length("servers") > 0 AND EXISTS (SELECT 1 FROM "access_codes" WHERE "tool_id" = "tools"."id" AND "per_buyer");
