CREATE TABLE `sms_text` (
	`batch_id` integer PRIMARY KEY NOT NULL,
	`version` text NOT NULL,
	`text` text NOT NULL
);
