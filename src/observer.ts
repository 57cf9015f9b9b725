import type { ErrorCode } from './error.ts'

/** What requests are told apart by; nothing that a client writes becomes one. */
export const OPERATIONS = [
  'get',
  'query',
  'count',
  'shallow',
  'stream',
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
  'other',
] as const

/** What a request was for; `other` is what is no call of ours. */
export type Operation = (typeof OPERATIONS)[number]

/** A key of an application. */
export type SecretName = 'super secret' | 'SMS key'

/** A request that was answered. What takes work to find out is found when it is read, which is in this very turn or never. */
export interface EndedRequest {
  readonly operation: Operation
  readonly status: number
  /** Time until the answer was ready to be sent; of a stream, until it was open. */
  readonly milliseconds: number
  /** Length of the body as it came, in bytes; 0 where nobody has read it. */
  readonly bytesIn: number
  /** Length of the body of the answer, in bytes; 0 where it is sent bit by bit: `answerSent` tells of that. */
  readonly bytesOut: number
  /** Tells it from others, in the log and in the header `X-Request-Id` of errors. */
  readonly id: string
  readonly method: string
  /** Without the query string, and without what looks like a credential; empty where it is none of ours. */
  readonly path: string
  /** Of the client; `undefined` where it is not known any more. */
  readonly address: string | undefined
}

/**
 * What happens inside, for logs and metrics. Nothing here ever carries a credential or data of the tree. No method may
 * throw or take long: the work it tells of waits for it. What is left out costs nothing.
 */
export interface Observer {
  /** The store of a file cannot write any more: nothing is acknowledged from now on. */
  storeFailed(file: string, error: unknown): void
  /** Something failed that costs no data: it will be tried again. */
  storeTroubled(file: string, error: unknown): void
  /** A request ended in an error nobody foresaw. @param id as the client was told in `X-Request-Id` */
  requestFailed(method: string, path: string, error: unknown, id: string): void
  /** A request was answered. */
  requestEnded?(request: EndedRequest): void
  /** A piece of an answer that is too long to go at once was given to the connection. */
  answerSent?(operation: Operation, bytes: number): void
  /** It was refused: `permission-denied` is what rules said, or the lack of the secret. */
  requestRefused?(operation: Operation, code: ErrorCode): void
  /** A credential was shown that nobody has given out. */
  credentialFailed?(): void
  /** A network has shown so many wrong credentials within a minute: more of them are answered 429. */
  credentialsExceeded?(network: string, perMinute: number): void
  /** Told once: a peer that is not named as a proxy has sent `X-Forwarded-For`. */
  proxyUnnamed?(address: string): void
  /** A key of an application that is opened has fewer characters than a safe one. */
  secretShort?(application: string, name: SecretName, length: number): void
  /** Somebody began to listen, over HTTPS or in this process. */
  streamOpened?(): void
  streamClosed?(): void
  /** A listener read so slowly that what waited for it was dropped: it is told everything anew. */
  streamResynced?(): void
  /** Bytes were written to the connection of a stream. */
  streamSent?(bytes: number): void
  /** A transaction of so many jobs was committed; it is not durable yet. */
  batchCommitted?(jobs: number, milliseconds: number): void
  /** The log was synced: what was committed before is durable. */
  logSynced?(milliseconds: number): void
  /** The log was moved into the file. @param logBytes length of the log when that began */
  checkpointed?(logBytes: number, milliseconds: number): void
  /** An index is being built. */
  indexBegun?(): void
  /** It is complete. @param rows children that were looked at */
  indexBuilt?(rows: number, milliseconds: number): void
  /** Text messages were recorded. */
  messagesRecorded?(count: number): void
  /** Reports of text messages were taken in. */
  messagesReported?(accepted: number, ignored: number): void
  /** Final states were handed over to a client. */
  statesReturned?(count: number): void
  applicationOpened?(id: string): void
  applicationClosed?(id: string): void
}

export const silentObserver: Observer = {
  storeFailed() {},
  storeTroubled() {},
  requestFailed() {},
}
