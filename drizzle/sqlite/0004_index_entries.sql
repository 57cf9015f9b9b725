ALTER TABLE `index_definition` ADD `entries` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
UPDATE `index_definition` SET `entries` = coalesce((SELECT `child_count` FROM `interior` WHERE `interior`.`id` = `list_id`), 0);
