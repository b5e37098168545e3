CREATE TABLE "job_runs" (
	"name" text PRIMARY KEY NOT NULL,
	"next_run_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
-- The queue of earlier versions only triggered jobs. What is due is in the shop's own tables.
DROP SCHEMA IF EXISTS "pgboss" CASCADE;
