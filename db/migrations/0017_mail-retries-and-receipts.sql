DROP INDEX "mail_messages_queued_idx";--> statement-breakpoint
ALTER TABLE "mail_messages" ADD COLUMN "next_try_at" timestamp (3) with time zone DEFAULT now() NOT NULL;--> statement-breakpoint
ALTER TABLE "mail_messages" ADD COLUMN "valid_until" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "mail_messages" ADD COLUMN "purchase_id" uuid;--> statement-breakpoint
ALTER TABLE "mail_messages" ADD CONSTRAINT "mail_messages_purchase_id_user_purchases_id_fk" FOREIGN KEY ("purchase_id") REFERENCES "public"."user_purchases"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "mail_messages_due_idx" ON "mail_messages" USING btree ("next_try_at") WHERE status = 'queued';--> statement-breakpoint
CREATE INDEX "mail_messages_created_idx" ON "mail_messages" USING btree ("created_at","id");--> statement-breakpoint
CREATE INDEX "mail_messages_failed_idx" ON "mail_messages" USING btree ("created_at","id") WHERE status = 'failed';--> statement-breakpoint
ALTER TABLE "mail_messages" ADD CONSTRAINT "mail_messages_purchase_id_unique" UNIQUE("purchase_id");