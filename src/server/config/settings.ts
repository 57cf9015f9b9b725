import { type Static, type TSchema, Type } from '@sinclair/typebox'
import { APPLICATION_ID } from '../../applications/application-id.ts'
import { LEAST_SECRET_LENGTH } from '../../data-folder/secret-file.ts'
import { defaultStreams } from '../../hub/hub.ts'
import { STRICT_TRANSPORT } from '../../options/schemas.ts'
import { defaultMessages } from '../../sms/messages.ts'
import { defaultRetention } from '../../store/sqlite/log/change-log.ts'
import { defaultRecordRetention } from '../../store/sqlite/log/idempotency-records.ts'
import { defaultStorage } from '../../store/sqlite/sqlite-options.ts'
import { defaultLimits } from '../../tree/limits.ts'
import { CLIENT_SETTINGS } from './client-settings.ts'
import { databaseSettings } from './database-settings.ts'
import { whole } from './whole.ts'

const PORT_NUMBER = { minimum: 0, maximum: 65_535 }

/**
 * Every setting of the server: its type, default and meaning. The environment, the flags of `dhole serve` and the page
 * docs/reference/settings.md are made from this.
 */
export const configSchema = Type.Object({
  PORT: Type.Integer({ ...PORT_NUMBER, default: 8443, description: 'port of the HTTPS listener; 0 takes a free one' }),
  HOST: Type.String({ default: '127.0.0.1', description: 'address of the HTTPS listener' }),
  HTTP_PORT: Type.Optional(
    Type.Integer({
      ...PORT_NUMBER,
      description:
        'port of a plain HTTP listener: answers 404 except for `/health` and `/ready`, requests of a proxy of `TRUST_PROXY`, and this machine with `DEVELOPMENT`; none if unset',
    }),
  ),
  HSTS: Type.Optional(
    Type.String({
      pattern: STRICT_TRANSPORT,
      description:
        'value of the header `Strict-Transport-Security`, such as `max-age=31536000`: browsers then use only TLS on every port of the name; not sent if unset, and never under loopback names',
    }),
  ),
  DATA_DIR: Type.String({ default: './data', description: 'folder of databases, certificate and generated secrets' }),
  BACKUP_DIR: Type.Optional(
    Type.String({ description: 'folder in which the console makes backups; `backups` of `DATA_DIR` if unset' }),
  ),
  ...databaseSettings,
  TLS_CERT: Type.Optional(
    Type.String({ description: 'PEM file of the certificate; one is made on the first run if unset' }),
  ),
  TLS_KEY: Type.Optional(Type.String({ description: 'PEM file of its key' })),
  TLS_NAMES: Type.Optional(
    Type.String({
      description:
        'host names and IP addresses, comma separated, of the generated certificate, beside `localhost`, `HOST` and `BASE_DOMAIN`; a loopback `HOST` also accepts requests for them',
    }),
  ),
  TLS_CHECK_MS: whole(1, 60 * 1000, 'interval of the checks for a new certificate, in milliseconds'),
  CONSOLE: Type.Boolean({
    default: true,
    description: '`false`: neither the console at `/console` nor the admin API below `/.admin`',
  }),
  OPERATOR_SECRET: Type.Optional(
    Type.String({
      minLength: LEAST_SECRET_LENGTH,
      description:
        'secret of the operator for the console, 32 random characters or more, the same on all processes of a database; made on the first run and kept in `DATA_DIR/operator.secret`',
    }),
  ),
  OPERATOR_SECRET_FILE: Type.Optional(Type.String({ description: 'file with it, in place of `OPERATOR_SECRET`' })),
  APP_ID: Type.String({
    default: 'app',
    pattern: APPLICATION_ID,
    description: 'name of the default application: lower-case letters, digits and `-`',
  }),
  APP_SECRET: Type.Optional(
    Type.String({
      minLength: LEAST_SECRET_LENGTH,
      description:
        'super secret of the default application, 32 random characters or more; made on the first run and kept in `DATA_DIR/secrets`, or in the database',
    }),
  ),
  APP_SECRET_FILE: Type.Optional(Type.String({ description: 'file with it, in place of `APP_SECRET`' })),
  SMS_KEY: Type.Optional(
    Type.String({
      minLength: LEAST_SECRET_LENGTH,
      description:
        'key that signs its requests about text messages, 32 random characters or more; made on the first run and kept in `DATA_DIR/secrets`, or in the database',
    }),
  ),
  SMS_KEY_FILE: Type.Optional(Type.String({ description: 'file with it, in place of `SMS_KEY`' })),
  SMS_TIME_ZONE: Type.String({
    minLength: 1,
    default: defaultMessages.timeZone,
    description: 'time zone of text messages: `+08:00`, or a name such as `Europe/Berlin`',
  }),
  SMS_MOBILE: Type.String({
    minLength: 1,
    default: defaultMessages.mobile,
    description: 'pattern of a telephone number',
  }),
  SMS_RETENTION_DAYS: whole(
    1,
    defaultMessages.retentionDays,
    'time for which text messages are kept after their submission, in days',
  ),
  SMS_INTERVAL_MS: whole(
    0,
    defaultMessages.intervalMs,
    'minimum time between two batch queries for text messages of an application, in milliseconds; 0: none',
  ),
  RULES: Type.Optional(
    Type.String({
      description:
        'first rules file of the default application; unset: open to this machine on a loopback `HOST`, else locked',
    }),
  ),
  SERVICE_ACCOUNT_FILE: Type.Optional(
    Type.String({
      description:
        'file with the key of a service account of Firebase, JSON or PEM, whose custom tokens sign users in to the default application; only its public key is used',
    }),
  ),
  APP_IDLE_MS: whole(
    1,
    10 * 60 * 1000,
    'time after which an idle application is closed, in milliseconds; the default one stays open',
  ),
  MAX_OPEN_APPS: whole(1, 200, 'maximum number of open applications beside the default one'),
  FAILED_CREDENTIALS: whole(
    0,
    30,
    'wrong credentials from one address in a minute after which more get 429; 0: unlimited',
  ),
  ...CLIENT_SETTINGS,
  DEVELOPMENT: Type.Boolean({
    default: false,
    description:
      '`true`: `Authorization: Bearer owner` has full access, tokens without a signature make users, and `HTTP_PORT` serves this machine, as with emulators; only on a loopback `HOST`, without proxies',
  }),
  BASE_DOMAIN: Type.Optional(
    Type.String({
      minLength: 1,
      description: 'domain below which the first label of the host name is the application',
    }),
  ),
  TRUST_PROXY: Type.Optional(
    Type.String({
      minLength: 1,
      description:
        'addresses and ranges (`10.0.0.0/8`) of proxies, comma separated, whose `X-Forwarded-Proto` and `X-Forwarded-For` are trusted',
    }),
  ),
  LOG_LEVEL: Type.Union(
    ['debug', 'info', 'warn', 'error', 'silent'].map((level) => Type.Literal(level)),
    { default: 'info', description: 'lowest level of the structured log lines: `debug` to `error`, or `silent`' },
  ),
  LOG_FORMAT: Type.Union(
    ['auto', 'json', 'pretty'].map((format) => Type.Literal(format)),
    {
      default: 'auto',
      description:
        'format of the log lines: `json`, `pretty` for people, or `auto`: `pretty` on a terminal and `json` elsewhere',
    },
  ),
  SLOW_REQUEST_MS: whole(
    0,
    1000,
    'duration from which a request is logged as slow, at level `warn`, in milliseconds; 0: none',
  ),
  METRICS_PORT: Type.Optional(
    Type.Integer({
      ...PORT_NUMBER,
      description: 'port of a plain HTTP listener on 127.0.0.1 that serves `/metrics` to this machine; none if unset',
    }),
  ),
  MAX_WRITE_BYTES: Type.Integer({
    minimum: 1,
    maximum: 256 * 1024 * 1024,
    default: defaultLimits.maxWriteBytes,
    description: 'largest body of a write, after decompression; at most 256 MiB',
  }),
  MAX_LEAF_BYTES: whole(1, defaultLimits.maxLeafBytes, 'longest string in the tree, in bytes of UTF-8'),
  MAX_READ_BYTES: whole(1, defaultLimits.maxReadBytes, 'largest answer to a read'),
  MAX_READ_MS: whole(1, defaultLimits.maxReadMs, 'longest time a read may take, in milliseconds'),
  PROFILE: Type.Union([Type.Literal('wilddog'), Type.Literal('firebase')], {
    default: 'wilddog',
    description: 'family whose answers a query gets where they differ: `wilddog` or `firebase`',
  }),
  INDEX_POLICY: Type.Union([Type.Literal('allow'), Type.Literal('require')], {
    default: 'allow',
    description: '`require`: refuse to sort by a child or value without a declared index',
  }),
  INDEXES: Type.Optional(
    Type.String({
      description:
        'indexes that are kept whether they are used or not, as JSON: `{"/dinosaurs": ["height"]}`; `{"child": "height", "covering": true}` in place of a name makes one cover',
    }),
  ),
  INDEX_IDLE_MS: whole(
    1,
    defaultStorage.indexIdleMs,
    'time after which an index that no query has used is dropped, in milliseconds',
  ),
  INDEX_ENTRIES: whole(
    0,
    defaultStorage.maxIndexEntries,
    'maximum number of entries of all undeclared indexes of one application',
  ),
  KEEP_ALIVE_MS: whole(
    1,
    defaultStreams.keepAliveMs,
    'silence after which a stream sends a `keep-alive`, in milliseconds',
  ),
  STREAM_HOST: Type.Optional(
    Type.String({
      pattern: '^https://[^/?#]+$',
      description: 'origin to which streams are redirected; served here if unset',
    }),
  ),
  CHANGE_LOG_COUNT: whole(1, defaultRetention.maxChanges, 'entries kept in the change log'),
  CHANGE_LOG_AGE_MS: whole(1, defaultRetention.maxAgeMs, 'time for which they are kept, in milliseconds'),
  IDEMPOTENCY_COUNT: whole(
    1,
    defaultRecordRetention.maxNotes,
    'maximum number of writes with an `Idempotency-Key` that an application remembers',
  ),
  IDEMPOTENCY_AGE_MS: whole(1, defaultRecordRetention.noteAgeMs, 'time for which they are remembered, in milliseconds'),
})

export type Config = Static<typeof configSchema>

/** Schema of one setting, with its default and description. @throws Error for an unknown name */
export function settingSchema(name: string): TSchema {
  const schema: TSchema | undefined = (configSchema.properties as Record<string, TSchema>)[name]
  if (schema === undefined) throw new Error(`no setting ${name}`)
  return schema
}

/** Values of a setting with a fixed list of values; `undefined` for other settings. */
export function choicesOf(name: string): string[] | undefined {
  const schema = settingSchema(name)
  if (schema['type'] === 'boolean') return ['true', 'false']
  const members: unknown = schema['anyOf']
  return Array.isArray(members) ? members.map((member: TSchema) => String(member['const'])) : undefined
}
