CREATE TABLE "bulk_action_rows" (
	"bulk_action_id" uuid NOT NULL,
	"position" integer NOT NULL,
	"row_id" uuid NOT NULL,
	"state" text NOT NULL,
	"is_done" boolean,
	"reason" text,
	CONSTRAINT "bulk_action_rows_bulk_action_id_position_pk" PRIMARY KEY("bulk_action_id","position")
);
--> statement-breakpoint
CREATE TABLE "bulk_actions" (
	"id" uuid PRIMARY KEY NOT NULL,
	"actor_id" uuid NOT NULL,
	"action" text NOT NULL,
	"input" jsonb DEFAULT '{}'::jsonb NOT NULL,
	"row_count" integer NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"started_at" timestamp (3) with time zone,
	"finished_at" timestamp (3) with time zone
);
--> statement-breakpoint
ALTER TABLE "bulk_action_rows" ADD CONSTRAINT "bulk_action_rows_bulk_action_id_bulk_actions_id_fk" FOREIGN KEY ("bulk_action_id") REFERENCES "public"."bulk_actions"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "bulk_action_rows_waiting_idx" ON "bulk_action_rows" USING btree ("bulk_action_id","position") WHERE is_done is null;--> statement-breakpoint
CREATE INDEX "bulk_actions_unfinished_idx" ON "bulk_actions" USING btree ("created_at") WHERE finished_at is null;