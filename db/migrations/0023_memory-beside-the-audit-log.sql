CREATE TABLE "admin_refusals" (
	"event_id" uuid PRIMARY KEY NOT NULL,
	"address_key" text NOT NULL,
	"hour" timestamp (3) with time zone NOT NULL,
	"count" integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE "codes_used_up_notices" (
	"id" uuid PRIMARY KEY NOT NULL,
	"tool_id" uuid NOT NULL,
	"server_name" text NOT NULL,
	"told_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
ALTER TABLE "codes_used_up_notices" ADD CONSTRAINT "codes_used_up_notices_tool_id_tools_id_fk" FOREIGN KEY ("tool_id") REFERENCES "public"."tools"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "admin_refusals_hour_key" ON "admin_refusals" USING btree ("address_key","hour");--> statement-breakpoint
CREATE UNIQUE INDEX "codes_used_up_notices_key" ON "codes_used_up_notices" USING btree ("tool_id","server_name");--> statement-breakpoint
-- The audit log was the memory of this. An owner who was told in the last day is not told again too early.
INSERT INTO "codes_used_up_notices" ("id", "tool_id", "server_name", "told_at")
	SELECT gen_random_uuid(), "tools"."id", "audit_events"."details" ->> 'serverName', max("audit_events"."created_at")
	FROM "audit_events" JOIN "tools" ON "audit_events"."subject_id" = "tools"."id"::text
	WHERE "audit_events"."action" = 'access-codes.used-up' AND "audit_events"."created_at" > now() - interval '1 day'
		AND "audit_events"."details" ? 'serverName'
	GROUP BY 2, 3;
