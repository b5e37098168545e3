ALTER TABLE "tools" ADD COLUMN "was_on_sale" boolean DEFAULT false NOT NULL;--> statement-breakpoint
-- What a checkout has sold was on sale. The job `tell-of-stock` notes the tools that are on sale now.
UPDATE "tools" SET "was_on_sale" = true WHERE "id" IN (
  SELECT "tool_id" FROM "user_purchases" WHERE "source" = 'checkout' AND "status" IN ('completed', 'active'));
