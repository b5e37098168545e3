CREATE TABLE "tool_logos" (
	"name" text PRIMARY KEY NOT NULL,
	"content" "bytea" NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "tool_logos_size" CHECK (octet_length("tool_logos"."content") between 1 and 204800)
);
--> statement-breakpoint
ALTER TABLE "tools" ADD COLUMN "logo" text;--> statement-breakpoint
ALTER TABLE "tools" ADD CONSTRAINT "tools_logo_tool_logos_name_fk" FOREIGN KEY ("logo") REFERENCES "public"."tool_logos"("name") ON DELETE no action ON UPDATE no action;