-- Eight characters without look-alikes (0 and O, 1, I and L). gen_random_uuid() is cryptographically random, apart from the
-- digits of its version and variant, which are before the 15 digits that are used.
CREATE FUNCTION random_order_number() RETURNS text LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  bits bigint := ('x' || right(replace(gen_random_uuid()::text, '-', ''), 15))::bit(60)::bigint;
  number text := '';
BEGIN
  FOR place IN 1..8 LOOP
    number := number || substr('23456789ABCDEFGHJKMNPQRSTUVWXYZ', (bits % 31)::int + 1, 1);
    bits := bits / 31;
  END LOOP;
  RETURN number;
END $$;--> statement-breakpoint
-- The default of new rows. Of a million purchases one in a million would get a number twice: it gets another one.
CREATE FUNCTION new_order_number() RETURNS text LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  number text;
BEGIN
  LOOP
    number := random_order_number();
    EXIT WHEN NOT EXISTS (SELECT FROM user_purchases WHERE order_number = number);
  END LOOP;
  RETURN number;
END $$;--> statement-breakpoint
ALTER TABLE "unknown_payments" ADD COLUMN "order_number" text;--> statement-breakpoint
-- Rewriting the table writes each index once: a million rows take about a minute. An update of every row takes several times as long.
ALTER TABLE "user_purchases" ADD COLUMN "order_number" text DEFAULT random_order_number() NOT NULL;--> statement-breakpoint
DO $$
BEGIN
  LOOP
    UPDATE user_purchases SET order_number = random_order_number() WHERE id IN (
      SELECT id FROM (SELECT id, row_number() OVER (PARTITION BY order_number) AS nth FROM user_purchases) AS numbered
      WHERE nth > 1);
    EXIT WHEN NOT FOUND;
  END LOOP;
END $$;--> statement-breakpoint
CREATE UNIQUE INDEX "user_purchases_order_number_key" ON "user_purchases" USING btree ("order_number");--> statement-breakpoint
ALTER TABLE "user_purchases" ALTER COLUMN "order_number" SET DEFAULT new_order_number();
