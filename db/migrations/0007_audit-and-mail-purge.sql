CREATE INDEX "audit_events_failed_sign_ins_idx" ON "audit_events" USING btree ("created_at") WHERE action in ('account.sign-in-failed', 'admin.sign-in-failed');--> statement-breakpoint
CREATE INDEX "mail_messages_unsent_resets_idx" ON "mail_messages" USING btree ("created_at") WHERE kind = 'password-reset' and status <> 'sent';--> statement-breakpoint
-- Links of mails that earlier versions sent stand in clear.
UPDATE "mail_messages" SET "html" = '', "text" = '' WHERE kind = 'password-reset' and status = 'sent';
