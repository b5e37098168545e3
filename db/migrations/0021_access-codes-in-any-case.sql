ALTER TABLE "access_codes" ADD COLUMN "simple_code_key" text;--> statement-breakpoint
ALTER TABLE "access_codes" ADD COLUMN "simple_code_twin" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
CREATE UNIQUE INDEX "access_codes_any_case_key" ON "access_codes" USING btree ("simple_code_key","simple_code_twin");