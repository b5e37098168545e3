DROP INDEX "payment_orders_open_idx";--> statement-breakpoint
ALTER TABLE "payment_orders" ADD COLUMN "next_check_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "user_purchases" ADD COLUMN "hold_network" text;--> statement-breakpoint
CREATE INDEX "payment_orders_check_idx" ON "payment_orders" USING btree ("next_check_at") WHERE next_check_at is not null;--> statement-breakpoint
CREATE INDEX "coupon_redemptions_coupon_idx" ON "coupon_redemptions" USING btree ("coupon_id","updated_at");--> statement-breakpoint
CREATE INDEX "user_purchases_hold_network_idx" ON "user_purchases" USING btree ("hold_network") WHERE hold_network is not null;--> statement-breakpoint
CREATE INDEX "payment_orders_open_idx" ON "payment_orders" USING btree ("created_at") WHERE state in ('creating', 'open');--> statement-breakpoint
-- Orders made before there was a schedule: all that may still bring money are looked at soon.
UPDATE "payment_orders" SET "next_check_at" = now()
  WHERE "state" IN ('creating', 'open') OR ("state" = 'settled' AND "created_at" > now() - interval '5 days');
