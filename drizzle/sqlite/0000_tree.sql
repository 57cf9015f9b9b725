CREATE TABLE `change` (
	`seq` integer PRIMARY KEY NOT NULL,
	`at` integer NOT NULL,
	`kind` text NOT NULL,
	`path` text NOT NULL,
	`data` text
);
--> statement-breakpoint
CREATE TABLE `closure` (
	`ancestor` integer NOT NULL,
	`descendant` integer NOT NULL,
	`depth` integer NOT NULL,
	PRIMARY KEY(`ancestor`, `descendant`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE UNIQUE INDEX `closure_up` ON `closure` (`descendant`,`depth`,`ancestor`);--> statement-breakpoint
CREATE TABLE `detached` (
	`id` integer PRIMARY KEY NOT NULL
);
--> statement-breakpoint
CREATE TABLE `index_definition` (
	`id` integer PRIMARY KEY NOT NULL,
	`list_id` integer NOT NULL,
	`path` text NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `index_definition_list` ON `index_definition` (`list_id`,`path`);--> statement-breakpoint
CREATE TABLE `index_entry` (
	`index_id` integer NOT NULL,
	`kind` integer NOT NULL,
	`value` blob NOT NULL,
	`key` text NOT NULL,
	PRIMARY KEY(`index_id`, `kind`, `value`, `key`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `interior` (
	`id` integer PRIMARY KEY NOT NULL,
	`parent_id` integer NOT NULL,
	`key` text NOT NULL,
	`child_count` integer NOT NULL,
	`traits` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `meta` (
	`name` text PRIMARY KEY NOT NULL,
	`value` text NOT NULL
);
--> statement-breakpoint
CREATE TABLE `node` (
	`parent_id` integer NOT NULL,
	`key` text NOT NULL,
	`kind` integer NOT NULL,
	`value` text,
	`id` integer,
	PRIMARY KEY(`parent_id`, `key`)
) WITHOUT ROWID;
