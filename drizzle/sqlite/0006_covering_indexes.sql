ALTER TABLE `index_definition` ADD `covering` integer DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE `index_entry` ADD `text` text;