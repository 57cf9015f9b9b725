import { type TProperties, Type } from '@sinclair/typebox'
import { APPLICATION_ID } from '../applications/application-id.ts'
import { LEAST_SECRET_LENGTH } from '../data-folder/secret-file.ts'
import { LEAST_IDLE_SECONDS, MOST_IDLE_SECONDS, MOST_SOCKET_SECONDS } from '../http/limits/limit-settings.ts'

const WHOLE = { minimum: 1 }
const NOT_NEGATIVE = { minimum: 0 }
const CLOSED = { additionalProperties: false }

/** An object whose members are all optional, without other members. */
function options<Properties extends TProperties>(properties: Properties) {
  return Type.Partial(Type.Object(properties, CLOSED))
}

/** Valid values of `Strict-Transport-Security`. */
export const STRICT_TRANSPORT = '^max-age=\\d{1,10}(; ?includeSubDomains)?(; ?preload)?$'

export const limitsSchema = options({
  maxLeafBytes: Type.Integer(WHOLE),
  maxWriteBytes: Type.Integer({ minimum: 1, maximum: 256 * 1024 * 1024 }),
  maxReadBytes: Type.Integer(WHOLE),
  maxReadMs: Type.Integer(WHOLE),
  writeNodesPerSecond: Type.Integer(WHOLE),
})

export const storageSchema = options({
  inlineLength: Type.Integer(NOT_NEGATIVE),
  walLimitBytes: Type.Integer(WHOLE),
  cacheLength: Type.Integer(NOT_NEGATIVE),
  shortList: Type.Integer(NOT_NEGATIVE),
  indexIdleMs: Type.Integer(WHOLE),
  maxIndexEntries: Type.Integer(NOT_NEGATIVE),
  maxChanges: Type.Integer(WHOLE),
  maxAgeMs: Type.Integer(WHOLE),
  maxNotes: Type.Integer(WHOLE),
  noteAgeMs: Type.Integer(WHOLE),
})

export const streamsSchema = options({
  maxWaiting: Type.Integer(WHOLE),
  maxEvent: Type.Integer(WHOLE),
  keepAliveMs: Type.Integer(WHOLE),
})

export const clientsSchema = options({
  ratePerAddress: Type.Integer(NOT_NEGATIVE),
  ratePerApp: Type.Integer(NOT_NEGATIVE),
  maxRequests: Type.Integer(NOT_NEGATIVE),
  maxRequestsPerAddress: Type.Integer(NOT_NEGATIVE),
  maxRequestsPerApp: Type.Integer(NOT_NEGATIVE),
  maxStreams: Type.Integer(NOT_NEGATIVE),
  maxStreamsPerAddress: Type.Integer(NOT_NEGATIVE),
  maxStreamsPerApp: Type.Integer(NOT_NEGATIVE),
  maxSockets: Type.Integer(NOT_NEGATIVE),
  maxSocketsPerAddress: Type.Integer(NOT_NEGATIVE),
  maxSocketsPerApp: Type.Integer(NOT_NEGATIVE),
  maxListens: Type.Integer(WHOLE),
  ratePerSocket: Type.Integer(NOT_NEGATIVE),
  byteRatePerSocket: Type.Integer(NOT_NEGATIVE),
  maxSocketBytes: Type.Integer(WHOLE),
  socketSeconds: Type.Integer({ minimum: 1, maximum: MOST_SOCKET_SECONDS }),
  maxBodies: Type.Integer(NOT_NEGATIVE),
  idleSeconds: Type.Integer({ minimum: LEAST_IDLE_SECONDS, maximum: MOST_IDLE_SECONDS }),
  transferSeconds: Type.Integer(WHOLE),
  maxTransferBytes: Type.Integer(WHOLE),
})

export const messagesSchema = options({
  timeZone: Type.String({ minLength: 1 }),
  mobile: Type.String({ minLength: 1 }),
  retentionDays: Type.Integer(WHOLE),
  intervalMs: Type.Integer(NOT_NEGATIVE),
})

const CHILD = Type.String({ minLength: 1 })

/** Declared indexes by the path of their list. */
export const indexesSchema = Type.Record(
  Type.String(),
  Type.Array(Type.Union([CHILD, Type.Object({ child: CHILD, covering: Type.Optional(Type.Boolean()) }, CLOSED)])),
)

/** Options of one tree. */
const treeProperties = {
  profile: Type.Optional(Type.Union([Type.Literal('wilddog'), Type.Literal('firebase')])),
  indexPolicy: Type.Optional(Type.Union([Type.Literal('allow'), Type.Literal('require')])),
  indexes: Type.Optional(indexesSchema),
}

/** Options of an application without its secrets. */
const settingProperties = {
  open: Type.Optional(Type.Union([Type.Boolean(), Type.Literal('loopback')])),
  rules: Type.Optional(Type.String()),
  serviceAccount: Type.Optional(Type.String()),
  limits: Type.Optional(limitsSchema),
  sms: Type.Optional(messagesSchema),
  ...treeProperties,
}

const secretSchema = Type.Optional(Type.String({ minLength: LEAST_SECRET_LENGTH }))

const applicationSchema = Type.Object({ secret: secretSchema, smsKey: secretSchema, ...settingProperties }, CLOSED)

export const applicationSettingsSchema = Type.Object(settingProperties, CLOSED)

/** 32 bytes in base64. */
export const SECRETS_KEY = '^[A-Za-z0-9+/]{43}=$'

/** Where a database server is. */
const serverProperties = {
  url: Type.String({ minLength: 1 }),
  ownerUrl: Type.Optional(Type.String({ minLength: 1 })),
  schema: Type.Optional(Type.String({ minLength: 1 })),
  ca: Type.Optional(Type.String({ minLength: 1 })),
  insecure: Type.Optional(Type.Boolean()),
  connections: Type.Optional(Type.Integer(WHOLE)),
  waitMs: Type.Optional(Type.Integer(NOT_NEGATIVE)),
  secretsKey: Type.Optional(Type.String({ pattern: SECRETS_KEY })),
  reads: Type.Optional(Type.Union([Type.Literal('fresh'), Type.Literal('recent')])),
  pooler: Type.Optional(Type.Union([Type.Literal('none'), Type.Literal('transaction')])),
  listenUrl: Type.Optional(Type.String({ minLength: 1 })),
  hints: Type.Optional(Type.Union([Type.Literal('notify'), Type.Literal('poll')])),
  pollMs: Type.Optional(Type.Integer(WHOLE)),
}

const serverSchema = Type.Object(serverProperties, CLOSED)

const databaseProperties = {
  limits: Type.Optional(limitsSchema),
  storage: Type.Optional(storageSchema),
  streams: Type.Optional(streamsSchema),
  rules: Type.Optional(Type.String()),
  observer: Type.Optional(Type.Any()),
  ...treeProperties,
}

export const fileDatabaseSchema = Type.Object({ file: Type.String({ minLength: 1 }), ...databaseProperties }, CLOSED)

export const serverDatabaseSchema = Type.Object(
  { application: Type.Optional(Type.String({ pattern: APPLICATION_ID })), ...serverProperties, ...databaseProperties },
  CLOSED,
)

export const dholeSchema = options({
  dataDir: Type.String({ minLength: 1 }),
  database: serverSchema,
  prefix: Type.String({ pattern: '^(/[^/?#%]+)*$' }),
  applications: Type.Record(Type.String({ pattern: APPLICATION_ID }), applicationSchema, {
    additionalProperties: false,
  }),
  baseDomain: Type.String({ minLength: 1 }),
  ownNames: Type.Array(Type.String({ minLength: 1 })),
  trustProxy: Type.Array(Type.String({ minLength: 1 })),
  strictTransport: Type.String({ pattern: STRICT_TRANSPORT }),
  docs: Type.Boolean(),
  console: Type.Union([Type.Boolean(), options({ secret: Type.String({ minLength: LEAST_SECRET_LENGTH }) })]),
  streamHost: Type.String({ pattern: '^https://[^/?#]+$' }),
  failedCredentials: Type.Integer(NOT_NEGATIVE),
  development: Type.Boolean(),
  limits: limitsSchema,
  clients: clientsSchema,
  sms: messagesSchema,
  storage: storageSchema,
  streams: streamsSchema,
  observer: Type.Any(),
})
