ALTER TABLE "installation" ADD COLUMN "least_version" integer DEFAULT 0 NOT NULL;
--> statement-breakpoint
ALTER TABLE "installation" ADD COLUMN "made_by" text;
--> statement-breakpoint
ALTER TABLE "process" ADD COLUMN "migrations" integer;
