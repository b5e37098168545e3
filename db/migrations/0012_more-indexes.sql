DROP INDEX "access_codes_simple_idx";--> statement-breakpoint
DROP INDEX "audit_events_failed_sign_ins_idx";--> statement-breakpoint
DROP INDEX "user_purchases_unpaid_idx";--> statement-breakpoint
CREATE INDEX "mail_messages_recipient_idx" ON "mail_messages" USING btree ("recipient");--> statement-breakpoint
CREATE INDEX "gateway_events_order_idx" ON "gateway_events" USING btree ("gateway_order_id") WHERE gateway_order_id is not null;--> statement-breakpoint
-- The operations and the checks of the catalogue file refuse equal codes and sign-ins. Rows that somebody wrote by hand
-- may be equal; then the shop must start all the same, with an index that is not unique.
DO $$ BEGIN
  CREATE UNIQUE INDEX "access_codes_simple_key" ON "access_codes" USING btree ("simple_code_hash");
EXCEPTION WHEN unique_violation THEN
  CREATE INDEX "access_codes_simple_key" ON "access_codes" USING btree ("simple_code_hash");
END $$;--> statement-breakpoint
DO $$ BEGIN
  CREATE UNIQUE INDEX "credentials_sign_in_key" ON "credentials" USING btree ("service",lower("email"));
EXCEPTION WHEN unique_violation THEN
  CREATE INDEX "credentials_sign_in_key" ON "credentials" USING btree ("service",lower("email"));
END $$;--> statement-breakpoint
CREATE INDEX "audit_events_failed_sign_ins_idx" ON "audit_events" USING btree ("created_at") WHERE action in ('account.sign-in-failed', 'admin.sign-in-failed', 'admin.password-confirmation-failed');--> statement-breakpoint
CREATE INDEX "user_purchases_unpaid_idx" ON "user_purchases" USING btree ("created_at","id","status","ended_at","ended_reason","expires_at") WHERE status in ('pending', 'failed');--> statement-breakpoint
-- Open checkouts are few and have an index, so they are counted one by one. A purchase then writes two changes of
-- counters in place of four.
CREATE OR REPLACE FUNCTION purchase_counter(row_of user_purchases) RETURNS text LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE WHEN row_of.ended_reason IN ('deleted', 'user-deleted') THEN NULL
    WHEN row_of.status = 'pending' AND row_of.ended_at IS NULL THEN NULL
    ELSE 'purchases.' || CASE WHEN row_of.status = 'active' THEN 'completed' ELSE row_of.status END
      || CASE WHEN row_of.ended_at IS NOT NULL THEN '.ended'
           WHEN row_of.test_mode AND row_of.status IN ('completed', 'active') THEN '.test' ELSE '' END END
$$;--> statement-breakpoint
CREATE OR REPLACE FUNCTION count_purchases() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  old_name text; new_name text; old_bucket timestamptz; new_bucket timestamptz;
BEGIN
  IF TG_OP <> 'INSERT' THEN old_name := purchase_counter(OLD); END IF;
  IF TG_OP <> 'DELETE' THEN new_name := purchase_counter(NEW); END IF;
  IF old_name IS NOT NULL THEN old_bucket := purchase_bucket(OLD); END IF;
  IF new_name IS NOT NULL THEN new_bucket := purchase_bucket(NEW); END IF;
  IF old_name = new_name AND old_bucket = new_bucket THEN RETURN NULL; END IF;
  IF old_name IS NOT NULL THEN INSERT INTO counter_changes VALUES (old_name, old_bucket, -1, 0); END IF;
  IF new_name IS NOT NULL THEN INSERT INTO counter_changes VALUES (new_name, new_bucket, 1, 0); END IF;
  RETURN NULL;
END $$;--> statement-breakpoint
DROP TRIGGER user_purchases_counted ON user_purchases;--> statement-breakpoint
CREATE TRIGGER user_purchases_inserted AFTER INSERT ON user_purchases FOR EACH ROW
  WHEN (NEW.status <> 'pending' OR NEW.ended_at IS NOT NULL) EXECUTE FUNCTION count_purchases();--> statement-breakpoint
CREATE TRIGGER user_purchases_deleted AFTER DELETE ON user_purchases FOR EACH ROW EXECUTE FUNCTION count_purchases();--> statement-breakpoint
-- A new payment has no refund of the shop.
CREATE FUNCTION count_new_payment() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO counter_changes
    SELECT payment_counter(o.test_mode), payment_bucket(NEW), (NEW.amount > NEW.refunded_at_gateway)::integer,
      NEW.amount::bigint - NEW.refunded_at_gateway
    FROM payment_orders o WHERE o.id = NEW.order_id;
  RETURN NULL;
END $$;--> statement-breakpoint
DROP TRIGGER payment_attempts_inserted ON payment_attempts;--> statement-breakpoint
CREATE TRIGGER payment_attempts_inserted AFTER INSERT ON payment_attempts FOR EACH ROW
  WHEN (NEW.status = 'captured') EXECUTE FUNCTION count_new_payment();--> statement-breakpoint
DELETE FROM counters WHERE name = 'purchases.pending';--> statement-breakpoint
DELETE FROM counter_changes WHERE name = 'purchases.pending';
