/** Copies the schema `dhole` of a database as of one moment, while servers run. */
export const DUMP = 'pg_dump --format=custom --schema=dhole --file=dhole.dump "$DATABASE_URL"'

/** Puts that copy in the place of what is there. No server may run. */
export const RESTORE = 'pg_restore --clean --if-exists --dbname="$DATABASE_URL" dhole.dump'

/** Makes positions of streams of the time that is lost invalid. */
export const NEW_EPOCH = 'psql "$DATABASE_URL" -c "UPDATE dhole.application SET epoch = gen_random_uuid()::text"'
