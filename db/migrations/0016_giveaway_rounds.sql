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
--> statement-breakpoint
ALTER TABLE "giveaway_rounds" ADD CONSTRAINT "giveaway_rounds_tool_id_tools_id_fk" FOREIGN KEY ("tool_id") REFERENCES "public"."tools"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "giveaway_rounds" ADD CONSTRAINT "giveaway_rounds_winner_user_id_users_id_fk" FOREIGN KEY ("winner_user_id") REFERENCES "public"."users"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "giveaway_rounds" ADD CONSTRAINT "giveaway_rounds_purchase_id_user_purchases_id_fk" FOREIGN KEY ("purchase_id") REFERENCES "public"."user_purchases"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "giveaway_rounds_start_key" ON "giveaway_rounds" USING btree ("starts_at");--> statement-breakpoint
-- No two rounds at the same time, whatever the time zone of the store was when they were opened.
ALTER TABLE "giveaway_rounds" ADD CONSTRAINT "giveaway_rounds_no_overlap"
  EXCLUDE USING gist (tstzrange("starts_at", "ends_at") WITH &&);
