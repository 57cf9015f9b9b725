import { Type } from '@sinclair/typebox'
import { SECRETS_KEY } from '../../options/schemas.ts'

/** Settings of the database server, in place of files. */
export const databaseSettings = {
  DATABASE_URL: Type.Optional(
    Type.String({
      description:
        'PostgreSQL database that stores the applications in place of files: `postgres://user:password@host:port/name`; `DATA_DIR` then holds the certificate',
    }),
  ),
  DATABASE_PASSWORD_FILE: Type.Optional(
    Type.String({
      description:
        'file with the password of the user of `DATABASE_URL` and `DATABASE_LISTEN_URL`, if it is not in the addresses',
    }),
  ),
  DATABASE_OWNER_URL: Type.Optional(
    Type.String({
      description:
        'the same database as the owner of the tables, who makes and changes them and lets the user of `DATABASE_URL` read and write them; unset: that user owns them',
    }),
  ),
  DATABASE_SCHEMA: Type.String({
    pattern: '^[a-z_][a-z0-9_]{0,62}$',
    default: 'dhole',
    description:
      'schema of its tables, made on the first run; installations with schemas of their own share a database',
  }),
  DATABASE_CA: Type.Optional(
    Type.String({
      description:
        'PEM file of the authority that has signed the certificate of the database; those of the system if unset',
    }),
  ),
  DATABASE_INSECURE: Type.Boolean({
    default: false,
    description: 'accepts a database on another machine whose connection is not encrypted or not verified',
  }),
  DATABASE_CONNECTIONS: Type.Integer({ minimum: 2, default: 8, description: 'most connections to the database' }),
  DATABASE_POOLER: Type.Union([Type.Literal('none'), Type.Literal('transaction')], {
    default: 'none',
    description:
      '`transaction`: `DATABASE_URL` is that of a pooler such as PgBouncer; the settings of sessions are then those of the role, and no statement is prepared',
  }),
  DATABASE_LISTEN_URL: Type.Optional(
    Type.String({
      description:
        'the same database without the pooler, for notifications and copies; needed with `DATABASE_POOLER=transaction` unless `HINTS=poll`',
    }),
  ),
  HINTS: Type.Union([Type.Literal('notify'), Type.Literal('poll')], {
    default: 'notify',
    description:
      'with `DATABASE_URL`: how a server learns what others have written: `notify` by notifications of PostgreSQL, `poll` by asking every `POLL_MS`',
  }),
  POLL_MS: Type.Integer({
    minimum: 1,
    default: 25,
    description: 'time between two questions with `HINTS=poll`, in milliseconds',
  }),
  DATABASE_WAIT_MS: Type.Integer({
    minimum: 0,
    default: 10_000,
    description: 'time for which a request waits for a database that is away, in milliseconds; then it gets 503',
  }),
  READS: Type.Union([Type.Literal('fresh'), Type.Literal('recent')], {
    default: 'fresh',
    description:
      'with `DATABASE_URL`: `fresh` answers with every write that any process has acknowledged; `recent` answers what is in memory without asking the database, as of the last second',
  }),
  SECRETS_KEY: Type.Optional(
    Type.String({
      pattern: SECRETS_KEY,
      description:
        'encrypts the keys of the applications in the database: 32 bytes in base64, the same for every server on it; they are stored as they are if unset',
    }),
  ),
  SECRETS_KEY_FILE: Type.Optional(Type.String({ description: 'file with it, in place of `SECRETS_KEY`' })),
}
