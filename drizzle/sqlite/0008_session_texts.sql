CREATE TABLE `session_text` (
	`session` text PRIMARY KEY NOT NULL,
	`text` text NOT NULL
);
