CREATE TABLE "session" (
	"tree" integer NOT NULL,
	"session" text COLLATE "C" NOT NULL,
	"process" text COLLATE "C" NOT NULL,
	"caller" text NOT NULL,
	CONSTRAINT "session_tree_session_pk" PRIMARY KEY("tree","session")
) WITH (autovacuum_vacuum_scale_factor=0.02);
--> statement-breakpoint
CREATE TABLE "session_value" (
	"tree" integer NOT NULL,
	"session" text COLLATE "C" NOT NULL,
	"position" integer NOT NULL,
	"path" text NOT NULL,
	"json" text NOT NULL,
	CONSTRAINT "session_value_tree_session_position_pk" PRIMARY KEY("tree","session","position")
) WITH (autovacuum_vacuum_scale_factor=0.02);
--> statement-breakpoint
CREATE INDEX "session_process" ON "session" USING btree ("process","tree");