-- Running passes of one user and tool never overlap, whatever path made them.
CREATE EXTENSION IF NOT EXISTS btree_gist;--> statement-breakpoint
ALTER TABLE "user_purchases" ADD CONSTRAINT "user_purchases_no_overlap"
  EXCLUDE USING gist ("user_id" WITH =, "tool_id" WITH =, tstzrange("starts_at", "expires_at") WITH &&)
  WHERE ("status" IN ('completed', 'active') AND "ended_at" IS NULL);
