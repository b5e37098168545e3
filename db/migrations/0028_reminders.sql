CREATE TABLE "pass_reminders" (
	"id" uuid PRIMARY KEY NOT NULL,
	"purchase_id" uuid NOT NULL,
	"kind" text NOT NULL,
	"ends_at" timestamp (3) with time zone NOT NULL,
	"mail_id" uuid,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
ALTER TABLE "users" ADD COLUMN "wants_reminders" boolean DEFAULT true NOT NULL;--> statement-breakpoint
ALTER TABLE "pass_reminders" ADD CONSTRAINT "pass_reminders_purchase_id_user_purchases_id_fk" FOREIGN KEY ("purchase_id") REFERENCES "public"."user_purchases"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "pass_reminders" ADD CONSTRAINT "pass_reminders_mail_id_mail_messages_id_fk" FOREIGN KEY ("mail_id") REFERENCES "public"."mail_messages"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "pass_reminders_key" ON "pass_reminders" USING btree ("purchase_id","kind","ends_at");--> statement-breakpoint
CREATE INDEX "pass_reminders_mail_idx" ON "pass_reminders" USING btree ("mail_id");--> statement-breakpoint
CREATE INDEX "pass_reminders_ends_idx" ON "pass_reminders" USING btree ("ends_at");