CREATE TABLE "sms_batch" (
	"tree" integer NOT NULL,
	"id" bigint NOT NULL,
	"rrid" text COLLATE "C" NOT NULL,
	"submitted_at" bigint NOT NULL,
	CONSTRAINT "sms_batch_tree_id_pk" PRIMARY KEY("tree","id")
);
--> statement-breakpoint
CREATE TABLE "sms_contradiction" (
	"tree" integer NOT NULL,
	"rrid" text COLLATE "C" NOT NULL,
	"mobile" text COLLATE "C" NOT NULL,
	"status" smallint NOT NULL,
	"code" text COLLATE "C" NOT NULL,
	"received_at" bigint NOT NULL,
	"arrived_at" bigint NOT NULL,
	CONSTRAINT "sms_contradiction_tree_rrid_mobile_status_code_pk" PRIMARY KEY("tree","rrid","mobile","status","code")
);
--> statement-breakpoint
CREATE TABLE "sms_count" (
	"tree" integer NOT NULL,
	"name" text COLLATE "C" NOT NULL,
	"value" bigint NOT NULL,
	CONSTRAINT "sms_count_tree_name_pk" PRIMARY KEY("tree","name")
) WITH (fillfactor=50, autovacuum_vacuum_scale_factor=0.05);
--> statement-breakpoint
CREATE TABLE "sms_final" (
	"tree" integer NOT NULL,
	"seq" bigint NOT NULL,
	"rrid" text NOT NULL,
	"mobile" text NOT NULL,
	"status" smallint NOT NULL,
	"code" text NOT NULL,
	"received_at" bigint NOT NULL,
	CONSTRAINT "sms_final_tree_seq_pk" PRIMARY KEY("tree","seq")
) WITH (autovacuum_vacuum_scale_factor=0.02, autovacuum_vacuum_insert_scale_factor=0.02);
--> statement-breakpoint
CREATE TABLE "sms_handover" (
	"tree" integer NOT NULL,
	"first_seq" bigint NOT NULL,
	"last_seq" bigint NOT NULL,
	"returned_at" bigint NOT NULL,
	CONSTRAINT "sms_handover_tree_first_seq_pk" PRIMARY KEY("tree","first_seq")
);
--> statement-breakpoint
CREATE TABLE "sms_lease" (
	"tree" integer NOT NULL,
	"first_seq" bigint NOT NULL,
	"last_seq" bigint NOT NULL,
	"process" text COLLATE "C" NOT NULL,
	"token" text NOT NULL,
	CONSTRAINT "sms_lease_tree_first_seq_pk" PRIMARY KEY("tree","first_seq")
) WITH (autovacuum_vacuum_scale_factor=0.02);
--> statement-breakpoint
CREATE TABLE "sms_message" (
	"tree" integer NOT NULL,
	"batch_id" bigint NOT NULL,
	"position" integer NOT NULL,
	"mobile" text COLLATE "C" NOT NULL,
	"status" smallint NOT NULL,
	"code" text NOT NULL,
	"received_at" bigint,
	"message_id" text COLLATE "C",
	"produced_at" bigint,
	"final_seq" bigint,
	"returned_at" bigint,
	CONSTRAINT "sms_message_tree_batch_id_position_pk" PRIMARY KEY("tree","batch_id","position")
) WITH (fillfactor=85, autovacuum_vacuum_scale_factor=0.05);
--> statement-breakpoint
CREATE TABLE "sms_text" (
	"tree" integer NOT NULL,
	"batch_id" bigint NOT NULL,
	"version" text NOT NULL,
	"text" text NOT NULL,
	CONSTRAINT "sms_text_tree_batch_id_pk" PRIMARY KEY("tree","batch_id")
);
--> statement-breakpoint
CREATE TABLE "process" (
	"id" text COLLATE "C" PRIMARY KEY NOT NULL,
	"version" text NOT NULL,
	"format" smallint NOT NULL,
	"host" text NOT NULL,
	"started_at" bigint NOT NULL,
	"seen_at" bigint NOT NULL
) WITH (fillfactor=50);
--> statement-breakpoint
ALTER TABLE "application" ADD COLUMN "sms_called_at" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
CREATE UNIQUE INDEX "sms_batch_rrid" ON "sms_batch" USING btree ("tree","rrid");--> statement-breakpoint
CREATE INDEX "sms_batch_submitted" ON "sms_batch" USING btree ("tree","submitted_at");--> statement-breakpoint
CREATE INDEX "sms_contradiction_arrived" ON "sms_contradiction" USING btree ("tree","arrived_at");--> statement-breakpoint
CREATE INDEX "sms_lease_process" ON "sms_lease" USING btree ("process");--> statement-breakpoint
CREATE UNIQUE INDEX "sms_message_mobile" ON "sms_message" USING btree ("tree","batch_id","mobile");--> statement-breakpoint
CREATE INDEX "sms_message_message_id" ON "sms_message" USING btree ("tree","message_id","batch_id") WHERE message_id is not null;