CREATE TABLE `text_chunk` (
	`id` integer PRIMARY KEY NOT NULL,
	`text` text NOT NULL
);
