CREATE TABLE `sms_batch` (
	`id` integer PRIMARY KEY NOT NULL,
	`rrid` text NOT NULL,
	`submitted_at` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `sms_batch_rrid_unique` ON `sms_batch` (`rrid`);--> statement-breakpoint
CREATE INDEX `sms_batch_submitted` ON `sms_batch` (`submitted_at`);--> statement-breakpoint
CREATE TABLE `sms_contradiction` (
	`id` integer PRIMARY KEY NOT NULL,
	`rrid` text NOT NULL,
	`mobile` text NOT NULL,
	`status` integer NOT NULL,
	`code` text NOT NULL,
	`received_at` integer NOT NULL,
	`arrived_at` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `sms_contradiction_report` ON `sms_contradiction` (`rrid`,`mobile`,`status`,`code`);--> statement-breakpoint
CREATE INDEX `sms_contradiction_arrived` ON `sms_contradiction` (`arrived_at`);--> statement-breakpoint
CREATE TABLE `sms_count` (
	`name` text PRIMARY KEY NOT NULL,
	`value` integer NOT NULL
) WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `sms_final` (
	`seq` integer PRIMARY KEY NOT NULL,
	`rrid` text NOT NULL,
	`mobile` text NOT NULL,
	`status` integer NOT NULL,
	`code` text NOT NULL,
	`received_at` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `sms_handover` (
	`first_seq` integer PRIMARY KEY NOT NULL,
	`last_seq` integer NOT NULL,
	`returned_at` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `sms_message` (
	`batch_id` integer NOT NULL,
	`position` integer NOT NULL,
	`mobile` text NOT NULL,
	`status` integer NOT NULL,
	`code` text NOT NULL,
	`received_at` integer,
	`message_id` text,
	`produced_at` integer,
	`final_seq` integer,
	`returned_at` integer,
	PRIMARY KEY(`batch_id`, `position`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE UNIQUE INDEX `sms_message_mobile` ON `sms_message` (`batch_id`,`mobile`);--> statement-breakpoint
CREATE INDEX `sms_message_message_id` ON `sms_message` (`message_id`) WHERE "sms_message"."message_id" is not null;