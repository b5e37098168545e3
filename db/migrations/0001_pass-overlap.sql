-- Running passes of one user and tool never overlap, whatever path made them. Test passes stand apart: they open nothing
-- once real money moves, so they must not keep a real pass from coming to life.
CREATE EXTENSION IF NOT EXISTS btree_gist;--> statement-breakpoint
ALTER TABLE "user_purchases" ADD CONSTRAINT "user_purchases_no_overlap"
  EXCLUDE USING gist ("user_id" WITH =, "tool_id" WITH =, ("test_mode"::int) WITH =, tstzrange("starts_at", "expires_at") WITH &&)
  WHERE ("status" IN ('completed', 'active') AND "ended_at" IS NULL);
