import { Type } from '@sinclair/typebox'
import { SECRETS_KEY } from '../../options/schemas.ts'
import { whole } from './whole.ts'

/** Settings of a server whose applications are in a database; see `configSchema`. */
export const databaseProperties = {
  DATABASE_URL: Type.Optional(
    Type.String({
      description:
        'PostgreSQL database that stores the applications in place of files: `postgres://user:password@host:port/name`; `DATA_DIR` then holds the certificate',
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
  DATABASE_CONNECTIONS: whole(2, 8, 'most connections to the database'),
  DATABASE_WAIT_MS: whole(
    0,
    10_000,
    'time for which a request waits for a database that is away, in milliseconds; then it gets 503',
  ),
  SECRETS_KEY: Type.Optional(
    Type.String({
      pattern: SECRETS_KEY,
      description:
        'encrypts the keys of the applications in the database: 32 bytes in base64, the same for every server on it; they are stored as they are if unset',
    }),
  ),
}
