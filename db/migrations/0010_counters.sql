CREATE TABLE "counter_changes" (
	"name" text NOT NULL,
	"bucket" timestamp (3) with time zone NOT NULL,
	"count" integer NOT NULL,
	"paise" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "counters" (
	"name" text NOT NULL,
	"bucket" timestamp (3) with time zone NOT NULL,
	"count" bigint NOT NULL,
	"paise" bigint NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX "counters_key" ON "counters" USING btree ("name","bucket");--> statement-breakpoint
-- The counter of an account; null when it is not counted.
CREATE FUNCTION user_counter(row_of users) RETURNS text LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE WHEN row_of.deleted_at IS NULL
    THEN 'users.' || row_of.provider || CASE WHEN row_of.is_active THEN '.active' ELSE '.inactive' END END
$$;--> statement-breakpoint
-- The counter of a purchase; null when it is not counted.
CREATE FUNCTION purchase_counter(row_of user_purchases) RETURNS text LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE WHEN row_of.ended_reason IN ('deleted', 'user-deleted') THEN NULL
    ELSE 'purchases.' || CASE WHEN row_of.status = 'active' THEN 'completed' ELSE row_of.status END
      || CASE WHEN row_of.ended_at IS NOT NULL THEN '.ended'
           WHEN row_of.test_mode AND row_of.status IN ('completed', 'active') THEN '.test' ELSE '' END END
$$;--> statement-breakpoint
-- Passes are counted by the quarter of an hour of their end, so that those that have not expired can be counted.
CREATE FUNCTION purchase_bucket(row_of user_purchases) RETURNS timestamptz LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE WHEN row_of.status IN ('completed', 'active') AND row_of.ended_at IS NULL AND row_of.expires_at IS NOT NULL
    THEN date_bin('15 minutes', row_of.expires_at, 'epoch'::timestamptz) ELSE 'epoch'::timestamptz END
$$;--> statement-breakpoint
CREATE FUNCTION payment_bucket(row_of payment_attempts) RETURNS timestamptz LANGUAGE sql IMMUTABLE AS $$
  SELECT date_bin('15 minutes', coalesce(row_of.captured_at, row_of.created_at), 'epoch'::timestamptz)
$$;--> statement-breakpoint
CREATE FUNCTION payment_counter(is_test boolean) RETURNS text LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE WHEN is_test THEN 'payments.test' ELSE 'payments' END
$$;--> statement-breakpoint
-- What every counter must be. `count` of payments: those that were not refunded in full.
CREATE VIEW expected_counters AS
  SELECT user_counter(u) AS name, 'epoch'::timestamptz AS bucket, count(*) AS count, 0::bigint AS paise
  FROM users u WHERE u.deleted_at IS NULL GROUP BY 1
  UNION ALL
  SELECT 'coupons', 'epoch'::timestamptz, count(*), 0 FROM coupon_codes WHERE deleted_at IS NULL HAVING count(*) > 0
  UNION ALL
  SELECT purchase_counter(p), purchase_bucket(p), count(*), 0
  FROM user_purchases p WHERE purchase_counter(p) IS NOT NULL GROUP BY 1, 2
  UNION ALL
  SELECT name, bucket, count(*) FILTER (WHERE kept > 0), sum(kept)::bigint FROM (
    SELECT payment_counter(o.test_mode) AS name, payment_bucket(a) AS bucket,
      a.amount::bigint - greatest(coalesce(r.paise, 0), a.refunded_at_gateway) AS kept
    FROM payment_attempts a
    JOIN payment_orders o ON o.id = a.order_id
    LEFT JOIN (SELECT attempt_id, sum(amount) AS paise FROM refunds WHERE status = 'processed' GROUP BY attempt_id) r
      ON r.attempt_id = a.id
    WHERE a.status = 'captured'
  ) payments GROUP BY 1, 2;--> statement-breakpoint
CREATE FUNCTION count_users() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP <> 'INSERT' AND OLD.deleted_at IS NULL THEN
    INSERT INTO counter_changes VALUES (user_counter(OLD), 'epoch', -1, 0);
  END IF;
  IF TG_OP <> 'DELETE' AND NEW.deleted_at IS NULL THEN
    INSERT INTO counter_changes VALUES (user_counter(NEW), 'epoch', 1, 0);
  END IF;
  RETURN NULL;
END $$;--> statement-breakpoint
CREATE TRIGGER users_counted AFTER INSERT OR DELETE ON users FOR EACH ROW EXECUTE FUNCTION count_users();--> statement-breakpoint
CREATE TRIGGER users_recounted AFTER UPDATE ON users FOR EACH ROW
  WHEN (OLD.is_active <> NEW.is_active OR OLD.provider <> NEW.provider OR (OLD.deleted_at IS NULL) <> (NEW.deleted_at IS NULL))
  EXECUTE FUNCTION count_users();--> statement-breakpoint
CREATE FUNCTION count_coupons() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP <> 'INSERT' AND OLD.deleted_at IS NULL THEN
    INSERT INTO counter_changes VALUES ('coupons', 'epoch', -1, 0);
  END IF;
  IF TG_OP <> 'DELETE' AND NEW.deleted_at IS NULL THEN
    INSERT INTO counter_changes VALUES ('coupons', 'epoch', 1, 0);
  END IF;
  RETURN NULL;
END $$;--> statement-breakpoint
CREATE TRIGGER coupon_codes_counted AFTER INSERT OR DELETE ON coupon_codes FOR EACH ROW EXECUTE FUNCTION count_coupons();--> statement-breakpoint
CREATE TRIGGER coupon_codes_recounted AFTER UPDATE ON coupon_codes FOR EACH ROW
  WHEN ((OLD.deleted_at IS NULL) <> (NEW.deleted_at IS NULL)) EXECUTE FUNCTION count_coupons();--> statement-breakpoint
CREATE FUNCTION count_purchases() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  old_name text; new_name text; old_bucket timestamptz; new_bucket timestamptz;
BEGIN
  IF TG_OP <> 'INSERT' THEN old_name := purchase_counter(OLD); old_bucket := purchase_bucket(OLD); END IF;
  IF TG_OP <> 'DELETE' THEN new_name := purchase_counter(NEW); new_bucket := purchase_bucket(NEW); END IF;
  IF old_name = new_name AND old_bucket = new_bucket THEN RETURN NULL; END IF;
  INSERT INTO counter_changes
    SELECT * FROM (VALUES (old_name, old_bucket, -1, 0::bigint), (new_name, new_bucket, 1, 0::bigint)) changed (name)
    WHERE name IS NOT NULL;
  RETURN NULL;
END $$;--> statement-breakpoint
CREATE TRIGGER user_purchases_counted AFTER INSERT OR DELETE ON user_purchases FOR EACH ROW EXECUTE FUNCTION count_purchases();--> statement-breakpoint
CREATE TRIGGER user_purchases_recounted AFTER UPDATE ON user_purchases FOR EACH ROW
  WHEN (OLD.status <> NEW.status OR OLD.ended_at IS DISTINCT FROM NEW.ended_at
    OR OLD.ended_reason IS DISTINCT FROM NEW.ended_reason OR OLD.expires_at IS DISTINCT FROM NEW.expires_at
    OR OLD.test_mode <> NEW.test_mode)
  EXECUTE FUNCTION count_purchases();--> statement-breakpoint
-- `sign` is 1 or -1, `refunded` the sum of the processed refunds of the payment.
CREATE FUNCTION count_payment(attempt payment_attempts, refunded bigint, sign integer) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  kept bigint := attempt.amount - greatest(refunded, attempt.refunded_at_gateway);
BEGIN
  INSERT INTO counter_changes
    SELECT payment_counter(o.test_mode), payment_bucket(attempt), CASE WHEN kept > 0 THEN sign ELSE 0 END, sign * kept
    FROM payment_orders o WHERE o.id = attempt.order_id;
END $$;--> statement-breakpoint
CREATE FUNCTION count_attempts() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  refunded bigint := 0;
BEGIN
  -- A new payment has no refund, and one that is deleted has none any more.
  IF TG_OP = 'UPDATE' THEN
    SELECT coalesce(sum(amount), 0) INTO refunded FROM refunds WHERE attempt_id = NEW.id AND status = 'processed';
  END IF;
  IF TG_OP <> 'INSERT' AND OLD.status = 'captured' THEN PERFORM count_payment(OLD, refunded, -1); END IF;
  IF TG_OP <> 'DELETE' AND NEW.status = 'captured' THEN PERFORM count_payment(NEW, refunded, 1); END IF;
  RETURN NULL;
END $$;--> statement-breakpoint
CREATE TRIGGER payment_attempts_inserted AFTER INSERT ON payment_attempts FOR EACH ROW
  WHEN (NEW.status = 'captured') EXECUTE FUNCTION count_attempts();--> statement-breakpoint
CREATE TRIGGER payment_attempts_deleted AFTER DELETE ON payment_attempts FOR EACH ROW
  WHEN (OLD.status = 'captured') EXECUTE FUNCTION count_attempts();--> statement-breakpoint
CREATE TRIGGER payment_attempts_recounted AFTER UPDATE ON payment_attempts FOR EACH ROW
  WHEN ((OLD.status = 'captured' OR NEW.status = 'captured') AND (OLD.status <> NEW.status OR OLD.amount <> NEW.amount
    OR OLD.refunded_at_gateway <> NEW.refunded_at_gateway OR OLD.created_at <> NEW.created_at
    OR OLD.captured_at IS DISTINCT FROM NEW.captured_at))
  EXECUTE FUNCTION count_attempts();--> statement-breakpoint
-- The payment is locked, because two transactions may change its refunds, or it and a refund, at the same time. One
-- statement changes at most one refund of a payment.
CREATE FUNCTION count_refunds() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  attempt payment_attempts; refunded bigint; before bigint;
BEGIN
  SELECT * INTO attempt FROM payment_attempts
    WHERE id = CASE WHEN TG_OP = 'DELETE' THEN OLD.attempt_id ELSE NEW.attempt_id END FOR NO KEY UPDATE;
  IF attempt.status IS DISTINCT FROM 'captured' THEN RETURN NULL; END IF;
  SELECT coalesce(sum(amount), 0) INTO refunded FROM refunds WHERE attempt_id = attempt.id AND status = 'processed';
  before := refunded;
  IF TG_OP <> 'DELETE' AND NEW.status = 'processed' THEN before := before - NEW.amount; END IF;
  IF TG_OP <> 'INSERT' AND OLD.status = 'processed' THEN before := before + OLD.amount; END IF;
  PERFORM count_payment(attempt, before, -1);
  PERFORM count_payment(attempt, refunded, 1);
  RETURN NULL;
END $$;--> statement-breakpoint
CREATE TRIGGER refunds_inserted AFTER INSERT ON refunds FOR EACH ROW
  WHEN (NEW.status = 'processed') EXECUTE FUNCTION count_refunds();--> statement-breakpoint
CREATE TRIGGER refunds_deleted AFTER DELETE ON refunds FOR EACH ROW
  WHEN (OLD.status = 'processed') EXECUTE FUNCTION count_refunds();--> statement-breakpoint
CREATE TRIGGER refunds_recounted AFTER UPDATE ON refunds FOR EACH ROW
  WHEN ((OLD.status = 'processed' OR NEW.status = 'processed') AND (OLD.status <> NEW.status OR OLD.amount <> NEW.amount))
  EXECUTE FUNCTION count_refunds();--> statement-breakpoint
-- The triggers' locks keep other writers out until this transaction ends.
INSERT INTO counters (name, bucket, count, paise) SELECT name, bucket, count, paise FROM expected_counters;
