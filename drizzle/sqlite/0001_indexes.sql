-- No version before this one has put a row into the table.
DROP TABLE `index_definition`;--> statement-breakpoint
CREATE TABLE `index_definition` (
	`id` integer PRIMARY KEY NOT NULL,
	`list_id` integer NOT NULL,
	`path` text NOT NULL,
	`built_to` text,
	`has_cut` integer NOT NULL,
	`used_at` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `index_definition_list` ON `index_definition` (`list_id`,`path`);--> statement-breakpoint
CREATE INDEX `index_definition_used` ON `index_definition` (`used_at`);
