CREATE TABLE "device_sessions" (
	"id" uuid PRIMARY KEY NOT NULL,
	"device_id" uuid NOT NULL,
	"tool_id" uuid NOT NULL,
	"server_id" text NOT NULL,
	"access_code_id" uuid,
	"redeemed_at" timestamp (3) with time zone NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "device_tickets" (
	"ticket_hash" text PRIMARY KEY NOT NULL,
	"user_id" uuid NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL,
	"used_at" timestamp (3) with time zone
);
--> statement-breakpoint
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
--> statement-breakpoint
CREATE TABLE "access_code_reports" (
	"id" uuid PRIMARY KEY NOT NULL,
	"access_code_id" uuid NOT NULL,
	"user_id" uuid NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
ALTER TABLE "tools" ADD COLUMN "how_to_use" jsonb DEFAULT '[]'::jsonb NOT NULL;--> statement-breakpoint
ALTER TABLE "access_codes" ADD COLUMN "code_changed_at" timestamp (3) with time zone DEFAULT now() NOT NULL;--> statement-breakpoint
ALTER TABLE "credentials" ADD COLUMN "sign_in_changed_at" timestamp (3) with time zone DEFAULT now() NOT NULL;--> statement-breakpoint
ALTER TABLE "device_sessions" ADD CONSTRAINT "device_sessions_device_id_devices_id_fk" FOREIGN KEY ("device_id") REFERENCES "public"."devices"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "device_sessions" ADD CONSTRAINT "device_sessions_tool_id_tools_id_fk" FOREIGN KEY ("tool_id") REFERENCES "public"."tools"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "device_sessions" ADD CONSTRAINT "device_sessions_access_code_id_access_codes_id_fk" FOREIGN KEY ("access_code_id") REFERENCES "public"."access_codes"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "device_tickets" ADD CONSTRAINT "device_tickets_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "devices" ADD CONSTRAINT "devices_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "access_code_reports" ADD CONSTRAINT "access_code_reports_access_code_id_access_codes_id_fk" FOREIGN KEY ("access_code_id") REFERENCES "public"."access_codes"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "access_code_reports" ADD CONSTRAINT "access_code_reports_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "device_sessions_server_key" ON "device_sessions" USING btree ("device_id","tool_id","server_id");--> statement-breakpoint
CREATE INDEX "device_sessions_access_code_idx" ON "device_sessions" USING btree ("access_code_id");--> statement-breakpoint
CREATE INDEX "device_tickets_expires_idx" ON "device_tickets" USING btree ("expires_at");--> statement-breakpoint
CREATE INDEX "device_tickets_user_idx" ON "device_tickets" USING btree ("user_id");--> statement-breakpoint
CREATE UNIQUE INDEX "devices_installation_key" ON "devices" USING btree ("user_id","installation_id") WHERE released_at is null;--> statement-breakpoint
CREATE INDEX "devices_user_idx" ON "devices" USING btree ("user_id","created_at");--> statement-breakpoint
CREATE INDEX "access_code_reports_code_idx" ON "access_code_reports" USING btree ("access_code_id","created_at");--> statement-breakpoint
CREATE INDEX "access_code_reports_user_idx" ON "access_code_reports" USING btree ("user_id","access_code_id","created_at");