DROP INDEX "coupon_codes_code_key";--> statement-breakpoint
ALTER TABLE "sessions" ADD COLUMN "password_entered_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "coupon_codes" ADD COLUMN "deleted_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "coupon_codes" ADD COLUMN "version" integer DEFAULT 1 NOT NULL;--> statement-breakpoint
ALTER TABLE "tools" ADD COLUMN "launch_url" text;--> statement-breakpoint
ALTER TABLE "tools" ADD COLUMN "credential_service" text;--> statement-breakpoint
ALTER TABLE "tools" ADD COLUMN "version" integer DEFAULT 1 NOT NULL;--> statement-breakpoint
ALTER TABLE "access_codes" ADD COLUMN "version" integer DEFAULT 1 NOT NULL;--> statement-breakpoint
ALTER TABLE "credentials" ADD COLUMN "version" integer DEFAULT 1 NOT NULL;--> statement-breakpoint
CREATE UNIQUE INDEX "coupon_codes_code_key" ON "coupon_codes" USING btree (upper("code")) WHERE deleted_at is null;