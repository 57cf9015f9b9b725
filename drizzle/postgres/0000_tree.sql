CREATE TABLE "application" (
	"id" text COLLATE "C" PRIMARY KEY NOT NULL,
	"tree" integer GENERATED ALWAYS AS IDENTITY (sequence name "application_tree_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 2147483647 START WITH 1 CACHE 1),
	"epoch" text NOT NULL,
	"settings" text,
	"secret" text,
	"sms_key" text,
	"keys_version" integer DEFAULT 0 NOT NULL,
	"removed_at" bigint,
	"moved_to" text,
	"copy" text,
	"is_arriving" boolean DEFAULT false NOT NULL,
	CONSTRAINT "application_tree_unique" UNIQUE("tree")
);
--> statement-breakpoint
CREATE TABLE "closure" (
	"tree" integer NOT NULL,
	"ancestor" bigint NOT NULL,
	"descendant" bigint NOT NULL,
	"depth" smallint NOT NULL,
	CONSTRAINT "closure_tree_ancestor_descendant_pk" PRIMARY KEY("tree","ancestor","descendant")
);
--> statement-breakpoint
CREATE TABLE "confirmation" (
	"process" text COLLATE "C" NOT NULL,
	"tree" integer NOT NULL,
	"batch" bigint NOT NULL,
	CONSTRAINT "confirmation_tree_batch_process_pk" PRIMARY KEY("tree","batch","process")
);
--> statement-breakpoint
CREATE TABLE "confirmation_request" (
	"tree" integer NOT NULL,
	"batch" bigint NOT NULL,
	"requested_at" bigint NOT NULL,
	CONSTRAINT "confirmation_request_tree_batch_pk" PRIMARY KEY("tree","batch")
);
--> statement-breakpoint
CREATE UNLOGGED TABLE "credential_failure" (
	"network" text COLLATE "C" PRIMARY KEY NOT NULL,
	"began_at" bigint NOT NULL,
	"failed" integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE "detached" (
	"tree" integer NOT NULL,
	"id" bigint NOT NULL,
	CONSTRAINT "detached_tree_id_pk" PRIMARY KEY("tree","id")
);
--> statement-breakpoint
CREATE TABLE "index_definition" (
	"tree" integer NOT NULL,
	"id" bigint NOT NULL,
	"list_id" bigint NOT NULL,
	"path" text COLLATE "C" NOT NULL,
	"built_to" text COLLATE "C",
	"has_cut" boolean NOT NULL,
	"used_at" bigint NOT NULL,
	"entries" bigint DEFAULT 0 NOT NULL,
	"covering" boolean DEFAULT false NOT NULL,
	CONSTRAINT "index_definition_tree_id_pk" PRIMARY KEY("tree","id")
);
--> statement-breakpoint
CREATE TABLE "index_entry" (
	"tree" integer NOT NULL,
	"index_id" bigint NOT NULL,
	"kind" smallint NOT NULL,
	"value" "bytea" NOT NULL,
	"key" text COLLATE "C" NOT NULL,
	"text" text,
	CONSTRAINT "index_entry_tree_index_id_kind_value_key_pk" PRIMARY KEY("tree","index_id","kind","value","key")
) WITH (autovacuum_vacuum_scale_factor=0.02);
--> statement-breakpoint
CREATE TABLE "interior" (
	"tree" integer NOT NULL,
	"id" bigint NOT NULL,
	"parent_id" bigint NOT NULL,
	"key" text COLLATE "C" NOT NULL,
	"child_count" integer NOT NULL,
	"traits" integer NOT NULL,
	CONSTRAINT "interior_tree_id_pk" PRIMARY KEY("tree","id")
) WITH (fillfactor=50, autovacuum_vacuum_scale_factor=0.05);
--> statement-breakpoint
CREATE TABLE "log" (
	"tree" integer NOT NULL,
	"batch" bigint NOT NULL,
	"first_seq" bigint NOT NULL,
	"last_seq" bigint NOT NULL,
	"at" bigint NOT NULL,
	"push_time" bigint NOT NULL,
	"next_id" bigint NOT NULL,
	"stamp" text NOT NULL,
	"format" smallint NOT NULL,
	"flags" integer NOT NULL,
	"heads" text NOT NULL,
	"data" text,
	"settings" text,
	CONSTRAINT "log_tree_batch_pk" PRIMARY KEY("tree","batch")
) WITH (autovacuum_vacuum_scale_factor=0.02, autovacuum_vacuum_insert_scale_factor=0.02);
--> statement-breakpoint
CREATE TABLE "node" (
	"tree" integer NOT NULL,
	"parent_id" bigint NOT NULL,
	"key" text COLLATE "C" NOT NULL,
	"kind" smallint NOT NULL,
	"value" text,
	"id" bigint,
	CONSTRAINT "node_tree_parent_id_key_pk" PRIMARY KEY("tree","parent_id","key")
) WITH (fillfactor=85, toast_tuple_target=8160, autovacuum_vacuum_scale_factor=0.05);
--> statement-breakpoint
CREATE TABLE "note" (
	"tree" integer NOT NULL,
	"key" text COLLATE "C" NOT NULL,
	"at" bigint NOT NULL,
	"text" text NOT NULL,
	CONSTRAINT "note_tree_key_pk" PRIMARY KEY("tree","key")
) WITH (autovacuum_vacuum_scale_factor=0.02);
--> statement-breakpoint
CREATE TABLE "removed_tree" (
	"tree" integer PRIMARY KEY NOT NULL,
	"removed_at" bigint NOT NULL,
	"is_free" boolean DEFAULT false NOT NULL
);
--> statement-breakpoint
CREATE TABLE "setting" (
	"tree" integer NOT NULL,
	"name" text COLLATE "C" NOT NULL,
	"text" text NOT NULL,
	CONSTRAINT "setting_tree_name_pk" PRIMARY KEY("tree","name")
);
--> statement-breakpoint
CREATE UNIQUE INDEX "closure_up" ON "closure" USING btree ("tree","descendant","depth","ancestor");--> statement-breakpoint
CREATE UNIQUE INDEX "index_definition_list" ON "index_definition" USING btree ("tree","list_id","path");--> statement-breakpoint
CREATE INDEX "log_seq" ON "log" USING btree ("tree","last_seq");--> statement-breakpoint
CREATE INDEX "note_at" ON "note" USING btree ("tree","at");