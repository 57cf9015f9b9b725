/** What clients may take of the service. 0 means unlimited for rates and counts. */
export interface ClientLimitSettings {
  /** Requests a second from one address; a burst may take twice as many. */
  readonly ratePerAddress: number
  /** Requests a second to one application; a burst may take twice as many. */
  readonly ratePerApp: number
  /** Maximum unanswered requests at once, open streams included. */
  readonly maxRequests: number
  /** The same from one address. */
  readonly maxRequestsPerAddress: number
  /** The same to one application. */
  readonly maxRequestsPerApp: number
  /** Maximum streams at once. */
  readonly maxStreams: number
  /** The same from one address. */
  readonly maxStreamsPerAddress: number
  /** The same to one application. */
  readonly maxStreamsPerApp: number
  /** Maximum connections of SDKs at once, over WebSockets or by long polling. */
  readonly maxSockets: number
  /** The same from one address. */
  readonly maxSocketsPerAddress: number
  /** The same to one application. */
  readonly maxSocketsPerApp: number
  /** Maximum listens of one of them. */
  readonly maxListens: number
  /** Messages a second that are carried out for one of them; a burst may be twice as many. More wait. */
  readonly ratePerSocket: number
  /** The same in bytes, two for each character. */
  readonly byteRatePerSocket: number
  /** Maximum memory of the messages of one of them that wait to be carried out, in bytes. */
  readonly maxSocketBytes: number
  /** Time without a sign of life after which the client of one of them has left, in seconds. */
  readonly socketSeconds: number
  /** Maximum bodies at once that have not arrived yet. */
  readonly maxBodies: number
  /** Time after which a silent connection is idle, in seconds. */
  readonly idleSeconds: number
  /** Time that a body or a long response may take, beside a second for every 16 KiB, in seconds. */
  readonly transferSeconds: number
  /** Memory for arriving bodies, long responses, waiting events and the keys of filtered streams, in bytes. */
  readonly maxTransferBytes: number
}

const MEBIBYTE = 1024 * 1024

export const defaultClientLimits: ClientLimitSettings = {
  ratePerAddress: 0,
  ratePerApp: 0,
  maxRequests: 0,
  maxRequestsPerAddress: 0,
  maxRequestsPerApp: 0,
  maxStreams: 20_000,
  maxStreamsPerAddress: 1000,
  maxStreamsPerApp: 0,
  maxSockets: 20_000,
  maxSocketsPerAddress: 1000,
  maxSocketsPerApp: 0,
  maxListens: 10_000,
  ratePerSocket: 0,
  byteRatePerSocket: 0,
  maxSocketBytes: 64 * MEBIBYTE,
  socketSeconds: 60,
  maxBodies: 4096,
  idleSeconds: 30,
  transferSeconds: 30,
  maxTransferBytes: 1024 * MEBIBYTE,
}

/** The listener checks its connections every four seconds: a shorter time would end active ones. */
export const LEAST_IDLE_SECONDS = 8
export const MOST_IDLE_SECONDS = 255
/** The same of a WebSocket. */
export const MOST_SOCKET_SECONDS = 960
