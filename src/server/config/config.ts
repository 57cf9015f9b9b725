import { readFileSync } from 'node:fs'
import { type Static, type TSchema, Type } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import { APPLICATION_ID } from '../../applications/application-id.ts'
import { LEAST_SECRET_LENGTH } from '../../data-folder/secret-file.ts'
import { DholeError } from '../../error.ts'
import { isLoopback } from '../../http/connection/own-machine.ts'
import { Proxies } from '../../http/connection/proxies.ts'
import { defaultClientLimits, LEAST_IDLE_SECONDS, MOST_IDLE_SECONDS } from '../../http/limits/client-limits.ts'
import { defaultStreams } from '../../hub/hub.ts'
import { checkMessages, STRICT_TRANSPORT } from '../../options.ts'
import { type IndexSpec, parseIndexes } from '../../query/index-declarations.ts'
import { parseRules } from '../../rules/file/rule-set.ts'
import { defaultMessages } from '../../sms/messages.ts'
import { defaultRetention } from '../../store/sqlite/log/change-log.ts'
import { defaultNotes } from '../../store/sqlite/log/job-notes.ts'
import { defaultStorage } from '../../store/sqlite/sqlite-store.ts'
import { defaultLimits } from '../../tree/limits.ts'
import { tlsNames } from '../tls/own-names.ts'
import { parseDuration, type TimeUnit } from './duration.ts'

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
  TLS_CHECK_MS: Type.Integer({
    minimum: 1,
    default: 60 * 1000,
    description: 'interval of the checks for a new certificate, in milliseconds',
  }),
  APP_ID: Type.String({
    default: 'app',
    pattern: APPLICATION_ID,
    description: 'name of the default application: lower-case letters, digits and `-`',
  }),
  APP_SECRET: Type.Optional(
    Type.String({
      minLength: LEAST_SECRET_LENGTH,
      description:
        'super secret of the default application, 32 random characters or more; made on the first run and kept in `DATA_DIR/secrets`',
    }),
  ),
  SMS_KEY: Type.Optional(
    Type.String({
      minLength: LEAST_SECRET_LENGTH,
      description:
        'key that signs its requests about text messages, 32 random characters or more; made on the first run and kept in `DATA_DIR/secrets`',
    }),
  ),
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
  SMS_RETENTION_DAYS: Type.Integer({
    minimum: 1,
    default: defaultMessages.retentionDays,
    description: 'time for which text messages are kept after their submission, in days',
  }),
  SMS_INTERVAL_MS: Type.Integer({
    minimum: 0,
    default: defaultMessages.intervalMs,
    description: 'minimum time between two batch queries for text messages of an application, in milliseconds; 0: none',
  }),
  RULES: Type.Optional(
    Type.String({
      description:
        'first rules file of the default application; unset: open to this machine on a loopback `HOST`, else locked',
    }),
  ),
  APP_IDLE_MS: Type.Integer({
    minimum: 1,
    default: 10 * 60 * 1000,
    description: 'time after which an idle application is closed, in milliseconds; the default one stays open',
  }),
  MAX_OPEN_APPS: Type.Integer({
    minimum: 1,
    default: 200,
    description: 'maximum number of open applications beside the default one',
  }),
  FAILED_CREDENTIALS: Type.Integer({
    minimum: 0,
    default: 30,
    description: 'wrong credentials from one address in a minute after which more get 429; 0: unlimited',
  }),
  RATE_PER_ADDRESS: Type.Integer({
    minimum: 0,
    default: defaultClientLimits.ratePerAddress,
    description: 'requests per second from one address, and twice that at once, beyond which it gets 429; 0: unlimited',
  }),
  RATE_PER_APP: Type.Integer({
    minimum: 0,
    default: defaultClientLimits.ratePerApp,
    description: 'the same to one application, from all addresses',
  }),
  MAX_REQUESTS: Type.Integer({
    minimum: 0,
    default: defaultClientLimits.maxRequests,
    description: 'requests that wait for their answers at the same time; more get 503; 0: unlimited',
  }),
  MAX_REQUESTS_PER_ADDRESS: Type.Integer({
    minimum: 0,
    default: defaultClientLimits.maxRequestsPerAddress,
    description: 'the same from one address; more get 429; 0: unlimited',
  }),
  MAX_REQUESTS_PER_APP: Type.Integer({
    minimum: 0,
    default: defaultClientLimits.maxRequestsPerApp,
    description: 'the same to one application; more get 429; 0: unlimited',
  }),
  MAX_STREAMS: Type.Integer({
    minimum: 0,
    default: defaultClientLimits.maxStreams,
    description: 'open streams; more get 503; 0: unlimited',
  }),
  MAX_STREAMS_PER_ADDRESS: Type.Integer({
    minimum: 0,
    default: defaultClientLimits.maxStreamsPerAddress,
    description: 'the same from one address; more get 429; 0: unlimited',
  }),
  MAX_STREAMS_PER_APP: Type.Integer({
    minimum: 0,
    default: defaultClientLimits.maxStreamsPerApp,
    description: 'the same to one application; more get 429; 0: unlimited',
  }),
  MAX_BODIES: Type.Integer({
    minimum: 0,
    default: defaultClientLimits.maxBodies,
    description: 'request bodies that have not arrived yet; beyond it one of them gets 503; 0: unlimited',
  }),
  IDLE_TIMEOUT_S: Type.Integer({
    minimum: LEAST_IDLE_SECONDS,
    maximum: MOST_IDLE_SECONDS,
    default: defaultClientLimits.idleSeconds,
    description: 'time that a connection may be silent between requests, or while an answer is sent, in seconds',
  }),
  TRANSFER_TIMEOUT_S: Type.Integer({
    minimum: 1,
    default: defaultClientLimits.transferSeconds,
    description:
      'time that a body may take to arrive, or a long answer to be sent, plus a second for every 16 KiB, in seconds',
  }),
  MAX_TRANSFER_BYTES: Type.Integer({
    minimum: 1,
    default: defaultClientLimits.maxTransferBytes,
    description:
      'memory for arriving bodies, long answers that are being sent, events that wait for slow streams, and the keys of filtered ones; beyond it the client that holds the most is aborted',
  }),
  DEVELOPMENT: Type.Boolean({
    default: false,
    description:
      '`true`: `Authorization: Bearer owner` has full access, and `HTTP_PORT` serves this machine, as with emulators; only on a loopback `HOST`, without proxies',
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
  SLOW_REQUEST_MS: Type.Integer({
    minimum: 0,
    default: 1000,
    description: 'duration from which a request is logged as slow, at level `warn`, in milliseconds; 0: none',
  }),
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
  MAX_LEAF_BYTES: Type.Integer({
    minimum: 1,
    default: defaultLimits.maxLeafBytes,
    description: 'longest string in the tree, in bytes of UTF-8',
  }),
  MAX_READ_BYTES: Type.Integer({
    minimum: 1,
    default: defaultLimits.maxReadBytes,
    description: 'largest answer to a read',
  }),
  MAX_READ_MS: Type.Integer({
    minimum: 1,
    default: defaultLimits.maxReadMs,
    description: 'longest time a read may take, in milliseconds',
  }),
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
      description: 'indexes that are kept whether they are used or not, as JSON: `{"/dinosaurs": ["height"]}`',
    }),
  ),
  INDEX_IDLE_MS: Type.Integer({
    minimum: 1,
    default: defaultStorage.indexIdleMs,
    description: 'time after which an index that no query has used is dropped, in milliseconds',
  }),
  INDEX_ENTRIES: Type.Integer({
    minimum: 0,
    default: defaultStorage.maxIndexEntries,
    description: 'maximum number of entries of all undeclared indexes of one application',
  }),
  KEEP_ALIVE_MS: Type.Integer({
    minimum: 1,
    default: defaultStreams.keepAliveMs,
    description: 'silence after which a stream sends a `keep-alive`, in milliseconds',
  }),
  STREAM_HOST: Type.Optional(
    Type.String({
      pattern: '^https://[^/?#]+$',
      description: 'origin to which streams are redirected; served here if unset',
    }),
  ),
  CHANGE_LOG_COUNT: Type.Integer({
    minimum: 1,
    default: defaultRetention.maxChanges,
    description: 'entries kept in the change log',
  }),
  CHANGE_LOG_AGE_MS: Type.Integer({
    minimum: 1,
    default: defaultRetention.maxAgeMs,
    description: 'time for which they are kept, in milliseconds',
  }),
  IDEMPOTENCY_COUNT: Type.Integer({
    minimum: 1,
    default: defaultNotes.maxNotes,
    description: 'maximum number of writes with an `Idempotency-Key` that an application remembers',
  }),
  IDEMPOTENCY_AGE_MS: Type.Integer({
    minimum: 1,
    default: defaultNotes.noteAgeMs,
    description: 'time for which they are remembered, in milliseconds',
  }),
})

export type Config = Static<typeof configSchema>

/** Settings as text, by name. */
export type RawConfig = Readonly<Record<string, string | undefined>>

/**
 * Reads settings; an empty text counts as unset.
 * @throws Error that names every wrong setting
 */
export function readConfig(raw: RawConfig): Config {
  const values: Record<string, unknown> = {}
  for (const name of Object.keys(configSchema.properties)) {
    const text = raw[name]
    if (text !== undefined && text !== '') values[name] = readValue(name, text)
  }
  const config = Value.Default(configSchema, values)
  const wrong = new Set([...Value.Errors(configSchema, config)].map(({ path }) => path.split('/')[1] ?? ''))
  const problems = [...wrong].map((name) => `${name}: expected ${expectedOf(name)}${foundOf(name, raw[name])}`)
  if (problems.length > 0) throw new Error(problems.join('\n'))
  const checked = config as Config
  if ((checked.TLS_CERT === undefined) !== (checked.TLS_KEY === undefined)) {
    throw new Error('TLS_CERT and TLS_KEY belong together: set both or neither')
  }
  if (checked.DEVELOPMENT && !isOwnMachine(checked.HOST)) {
    throw new Error(`DEVELOPMENT: not with HOST=${checked.HOST}, which others can connect to`)
  }
  if (checked.DEVELOPMENT && checked.TRUST_PROXY !== undefined) {
    throw new Error('DEVELOPMENT: not with TRUST_PROXY, behind which others are')
  }
  readIndexes(checked)
  tlsNames(checked)
  checkSms(checked)
  checkProxies(checked)
  return checked
}

/** The value of a text; the text itself where it is none of the type, which the schema refuses then. */
function readValue(name: string, text: string): unknown {
  const schema = settingSchema(name)
  if (schema['type'] !== 'integer') return Value.Convert(schema, text)
  const count = inUnits(name, text)
  return /^-?\d{1,15}$/.test(count) ? Number(count) : text
}

/** The unit that the name of a setting ends in. */
const UNITS: Readonly<Record<string, TimeUnit>> = { MS: 'ms', S: 's', DAYS: 'd' }

/** A time with a unit of its own, such as `10m`, in the unit of its setting; other text as it is. */
function inUnits(name: string, text: string): string {
  const unit = UNITS[name.slice(name.lastIndexOf('_') + 1)]
  return unit === undefined ? text : String(parseDuration(text, unit) ?? text)
}

/** The values of a setting that has only some; `undefined` for the others. */
export function choicesOf(name: string): string[] | undefined {
  const schema = settingSchema(name)
  if (schema['type'] === 'boolean') return ['true', 'false']
  const members: unknown = schema['anyOf']
  return Array.isArray(members) ? members.map((member: TSchema) => String(member['const'])) : undefined
}

/** What was given, unless it is a secret. */
function foundOf(name: string, text: string | undefined): string {
  return /_(SECRET|KEY)$/.test(name) ? '' : `, found ${JSON.stringify(text)}`
}

/** What a setting may be, in words. */
function expectedOf(name: string): string {
  const choices = choicesOf(name)
  if (choices !== undefined) return `one of ${choices.join(', ')}`
  const { type, minimum, maximum, minLength, pattern } = settingSchema(name)
  if (type === 'integer') {
    const unit = UNITS[name.slice(name.lastIndexOf('_') + 1)]
    const what = unit === undefined ? 'a whole number' : 'a time such as 90s or 10m, or a whole number'
    return maximum === undefined ? `${what} of at least ${minimum}` : `${what} from ${minimum} to ${maximum}`
  }
  if (pattern !== undefined) return `text of the form ${pattern}`
  return minLength === undefined ? 'text' : `text of at least ${minLength} characters`
}

/** The proxies of `TRUST_PROXY`. */
export function proxiesOf({ TRUST_PROXY }: Pick<Config, 'TRUST_PROXY'>): readonly string[] {
  return TRUST_PROXY?.split(',').map((entry) => entry.trim()) ?? []
}

function checkProxies(config: Config): void {
  try {
    new Proxies(proxiesOf(config))
  } catch (cause) {
    throw new Error(`TRUST_PROXY: ${cause instanceof Error ? cause.message : String(cause)}`, { cause })
  }
}

function checkSms({ SMS_TIME_ZONE: timeZone, SMS_MOBILE: mobile }: Config): void {
  checkMessages('SMS_TIME_ZONE: ', { timeZone })
  checkMessages('SMS_MOBILE: ', { mobile })
}

const indexesSchema = Type.Record(Type.String(), Type.Array(Type.String({ minLength: 1 })))

/** The indexes of `INDEXES`. @throws Error unless it is JSON of that shape */
export function readIndexes({ INDEXES }: Config): IndexSpec {
  if (INDEXES === undefined) return {}
  const indexes = parseJson(INDEXES)
  if (!Value.Check(indexesSchema, indexes)) {
    throw new Error('INDEXES: expected JSON such as {"/dinosaurs": ["height", ".value"]}')
  }
  try {
    parseIndexes(indexes)
  } catch (error) {
    throw error instanceof DholeError ? new Error(`INDEXES: ${error.message}`, { cause: error }) : error
  }
  return indexes
}

/** Source of the rules in the file `RULES`, if it is set. @throws Error when there is no such file or a rule is wrong */
export function readRules({ RULES }: Config): string | undefined {
  if (RULES === undefined) return undefined
  try {
    const source = readFileSync(RULES, 'utf8')
    parseRules(source)
    return source
  } catch (cause) {
    const isMissing = cause instanceof Error && 'code' in cause && cause.code === 'ENOENT'
    const reason = cause instanceof Error ? cause.message : String(cause)
    throw new Error(`RULES: ${RULES}: ${isMissing ? 'there is no such file' : reason}`, { cause })
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Schema of one setting, with its default and description. */
export function settingSchema(name: string): TSchema {
  const schema: TSchema | undefined = (configSchema.properties as Record<string, TSchema>)[name]
  if (schema === undefined) throw new Error(`no setting ${name}`)
  return schema
}

/** Whether only this machine can reach a host. */
export function isOwnMachine(host: string): boolean {
  return host === 'localhost' || isLoopback(host)
}
