CREATE TABLE `session` (
	`session` text PRIMARY KEY NOT NULL,
	`caller` text NOT NULL
);
--> statement-breakpoint
CREATE TABLE `session_value` (
	`session` text NOT NULL,
	`position` integer NOT NULL,
	`path` text NOT NULL,
	`json` text NOT NULL,
	PRIMARY KEY(`session`, `position`)
);
--> statement-breakpoint
INSERT INTO `session` SELECT `session`, json_object('kind', `text` ->> '$.kind', 'auth', json(`text` -> '$.auth')) FROM `session_text`;
--> statement-breakpoint
INSERT INTO `session_value` SELECT t.`session`, w.`key` + 1, w.`value` -> '$.path', w.`value` -> '$.json'
FROM `session_text` t, json_each(t.`text`, '$.writes') w;
--> statement-breakpoint
DROP TABLE `session_text`;
