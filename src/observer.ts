import type { ErrorCode } from './error.ts'

/** Kinds of requests in metrics and logs. The list is fixed: no input of a client adds a kind. */
export const OPERATIONS = [
  'get',
  'query',
  'count',
  'shallow',
  'stream',
  'socket',
  'put',
  'post',
  'patch',
  'delete',
  'settings',
  'token',
  'sms-status',
  'sms-batch',
  'sms-record',
  'sms-report',
  'sms-dlr',
  'sms-other',
  'options',
  'system',
  'docs',
  'admin',
  'console',
  'other',
] as const

/** Kind of a request; `other` for requests outside the API. */
export type Operation = (typeof OPERATIONS)[number]

/** A key of an application. */
export type SecretName = 'super secret' | 'SMS key'

/** Why a request was refused. */
export interface Refusal {
  readonly code: ErrorCode
  /** The rule that refused it; absent unless rules did. */
  readonly rule?: {
    /** Such as `/rooms/$room/.read`. */
    readonly path: string
    /** Source text of the condition, shortened. */
    readonly text: string
  }
}

/** A completed request. Expensive members are computed on access, which must happen in the same turn. */
export interface EndedRequest {
  readonly operation: Operation
  readonly status: number
  /** When it arrived, in milliseconds of `performance.now()`. */
  readonly startedAt: number
  /** Time until the response was ready; of a stream, until it was open. */
  readonly milliseconds: number
  /** Received length of the body, in bytes; 0 for an unread body. */
  readonly bytesIn: number
  /** Length of the response body, in bytes; 0 for a body in chunks, which `answerSent` reports. */
  readonly bytesOut: number
  /** Identifies the request in the log and in the header `X-Request-Id` of errors. */
  readonly id: string
  readonly method: string
  /** Without the query string and without possible credentials; empty for a path outside the API. */
  readonly path: string
  /** Address of the client; `undefined` when the connection is gone. */
  readonly address: string | undefined
  /** Name of its application; `undefined` before one was chosen. */
  readonly applicationId: string | undefined
  /** Why it was refused; `undefined` for a success. */
  readonly refusal: Refusal | undefined
}

/** How a client of an SDK is connected. */
export type ConnectionCarrier = 'websocket' | 'polling'

/**
 * Why connections of SDKs end. `left`: the client has closed it; `lost`: it was cut, or the client gave no sign of life;
 * `away`: the server stops, the application or the operator ends it, or the client has come back; `not-understood` and
 * `too-big`: what the client sent; `too-much`: what waits to be carried out; `too-slow`: what waits to be read.
 */
export const CONNECTION_ENDS = ['left', 'lost', 'away', 'not-understood', 'too-big', 'too-much', 'too-slow'] as const

/** Words of answers to SDKs. @see docs/reference/sdk-protocol.md#statuses */
export const MESSAGE_STATUSES = [
  'ok',
  'permission_denied',
  'datastale',
  'invalid_token',
  'expired_token',
  'too_big',
  'unavailable',
  'invalid_path',
  'invalid_data',
  'error',
] as const

export type MessageStatus = (typeof MESSAGE_STATUSES)[number]

/** A connection of an SDK that has ended. */
export interface EndedConnection {
  readonly applicationId: string
  readonly address: string | undefined
  readonly carrier: ConnectionCarrier
  readonly cause: (typeof CONNECTION_ENDS)[number]
  /** The last message to the client, if any. */
  readonly reason: string
  /** Time for which it was open. */
  readonly milliseconds: number
  readonly bytesIn: number
  readonly bytesOut: number
}

/** Events of connections of SDKs. */
interface ConnectionObserver {
  connectionOpened?(carrier: ConnectionCarrier): void
  /** A WebSocket has taken over a connection from long polling. */
  carrierChanged?(before: ConnectionCarrier, after: ConnectionCarrier): void
  connectionEnded?(connection: EndedConnection): void
  /** A message of a client has come. */
  messageReceived?(bytes: number): void
  /** A message was passed to a client. */
  messageSent?(bytes: number): void
  listenOpened?(): void
  listenClosed?(): void
  /** A request of a client was answered. */
  messageAnswered?(status: MessageStatus): void
  /** A value that a client wanted written at the end of its session was written, or dropped because it was refused. */
  leftValueEnded?(outcome: 'written' | 'dropped'): void
  /** What a session of another process, or of an earlier one, has left is written by this one. */
  sessionTaken?(): void
}

/** Where a process has learned of a batch of another one, or has announced its own. */
export type HintKind = 'sent' | 'received' | 'late'

/** Events of an engine on a database server, which several processes share. */
interface DatabaseObserver {
  /** No connection to the database can be opened. Called once until `databaseBack`. @param reason holds no password */
  databaseAway?(place: string, reason: string): void
  /** @param milliseconds time since `databaseAway` */
  databaseBack?(place: string, milliseconds: number): void
  /** A connection is used: the database is asked at least once. */
  databaseUsed?(use: 'statement' | 'snapshot' | 'transaction' | 'other'): void
  /** A connection was lost. */
  connectionLost?(): void
  /** Another process has committed a batch first. */
  batchConflicted?(): void
  /** The answer to a commit was lost: whether it took effect is asked for. */
  batchDoubted?(): void
  /** This process is so many batches behind, and reads them. */
  followerLagged?(batches: number): void
  /** The log does not reach back to what this process knows: its caches and streams begin anew. */
  followerReset?(): void
  /** A notification was sent or received; `late`: a batch was found without one. */
  hinted?(kind: HintKind): void
  /** The database was asked for the last batches, on behalf of so many reads. */
  readsChecked?(reads: number): void
  /** @param alive processes @param offsetMs the clock of this process minus that of the database, in milliseconds */
  processesSeen?(alive: number, offsetMs: number): void
}

/**
 * Receives internal events, for logs and metrics. No event carries a credential or data of the tree. A method must not
 * throw or take long: the reported work waits for it. An absent method costs nothing.
 */
export interface Observer extends DatabaseObserver, ConnectionObserver {
  /** The store of a file cannot write any more: no write is acknowledged from now on. */
  storeFailed(file: string, error: unknown): void
  /** A failure without loss of data: the store will try again. */
  storeTroubled(file: string, error: unknown): void
  /** A request ended in an unexpected error. @param id header `X-Request-Id` of the response */
  requestFailed(method: string, path: string, error: unknown, id: string): void
  /** A request was completed. */
  requestEnded?(request: EndedRequest): void
  /** A chunk of a long response was passed to the connection. */
  answerSent?(operation: Operation, bytes: number): void
  /** A request was refused: `permission-denied` means by rules, or for lack of the secret. */
  requestRefused?(operation: Operation, code: ErrorCode): void
  /** A request had a wrong credential. */
  credentialFailed?(): void
  /** A network has sent too many wrong credentials within a minute: more get 429. */
  credentialsExceeded?(network: string, perMinute: number): void
  /** Called once: a peer that is not a trusted proxy has sent `X-Forwarded-For`. */
  proxyUnnamed?(address: string): void
  /** A key of an opened application is shorter than recommended. */
  secretShort?(application: string, name: SecretName, length: number): void
  /** A stream was opened, over HTTPS or in this process. */
  streamOpened?(): void
  streamClosed?(): void
  /** A stream was read so slowly that its pending events were dropped: it gets the whole value again. */
  streamResynced?(): void
  /** Bytes were written to the connection of a stream. */
  streamSent?(bytes: number): void
  /** A transaction of so many jobs was committed; it is not durable yet. */
  batchCommitted?(jobs: number, milliseconds: number): void
  /** The log was synced: what was committed before is durable. */
  logSynced?(milliseconds: number): void
  /** The log was moved into the file. @param logBytes length of the log before the move */
  checkpointed?(logBytes: number, milliseconds: number): void
  /** An index is being built. */
  indexBegun?(): void
  /** An index is complete. @param rows number of children read */
  indexBuilt?(rows: number, milliseconds: number): void
  /** Text messages were recorded. */
  messagesRecorded?(count: number): void
  /** Reports of text messages were received. */
  messagesReported?(accepted: number, ignored: number): void
  /** Final states were delivered to a client. */
  statesReturned?(count: number): void
  applicationOpened?(id: string): void
  applicationClosed?(id: string): void
}

export const silentObserver: Observer = {
  storeFailed() {},
  storeTroubled() {},
  requestFailed() {},
}
