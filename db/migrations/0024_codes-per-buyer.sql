ALTER TABLE "tools" ADD COLUMN "stock_from_codes" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "access_codes" ADD COLUMN "per_buyer" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "access_codes" ADD COLUMN "pass_id" uuid;--> statement-breakpoint
ALTER TABLE "access_codes" ADD COLUMN "taken_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "access_codes" ADD CONSTRAINT "access_codes_pass_id_user_purchases_id_fk" FOREIGN KEY ("pass_id") REFERENCES "public"."user_purchases"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "access_codes_pass_key" ON "access_codes" USING btree ("pass_id","tool_id",lower(btrim("server_name"))) WHERE pass_id is not null and is_active;--> statement-breakpoint
ALTER TABLE "access_codes" ADD CONSTRAINT "access_codes_taken_per_buyer" CHECK ("access_codes"."pass_id" is null or "access_codes"."per_buyer");--> statement-breakpoint
ALTER TABLE "access_codes" ADD CONSTRAINT "access_codes_taken_at" CHECK (("access_codes"."pass_id" is null) = ("access_codes"."taken_at" is null));