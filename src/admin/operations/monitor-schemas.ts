import { type Static, Type } from '@sinclair/typebox'

const series = Type.Array(Type.Number())

/** The last hour in steps, oldest first. A step without a measurement has 0. */
export const metricsHour = Type.Object({
  /** Length of a step, in milliseconds. */
  stepMs: Type.Number(),
  /** End of each step, in milliseconds since 1970. */
  times: series,
  /** One number for each step. */
  series: Type.Object({
    /** Requests answered. */
    requests: series,
    /** Requests answered with a status of 500 and more. */
    errors: series,
    /** Requests answered with a status of 400 to 499. */
    refused: series,
    /** Median time until the response was ready, in milliseconds. */
    p50Ms: series,
    p99Ms: series,
    /** Jobs that were committed: writes of the tree, settings, and text messages. */
    writes: series,
    /** Time of a sync of the log, on PostgreSQL of a commit, in milliseconds. */
    syncP99Ms: series,
    /** Streams that were open at the end of the step. */
    streams: series,
    /** Resident memory at the end of the step. */
    memoryBytes: series,
    /** Longest time for which the event loop was late, in milliseconds. */
    loopDelayMs: series,
    /** Events written to streams, where events of one batch count once, and messages sent to SDKs. */
    eventsPerSecond: series,
  }),
})
export type MetricsHour = Static<typeof metricsHour>

export const requestKind = Type.Union([Type.Literal('recent'), Type.Literal('slow'), Type.Literal('refused')])
export type RequestKind = Static<typeof requestKind>

/** A completed request. */
export const recentRequest = Type.Object({
  /** When it was answered, in milliseconds since 1970. */
  at: Type.Number(),
  method: Type.String(),
  /** As in the log: without the query string and without credentials; empty for a path outside the API. */
  path: Type.String(),
  status: Type.Integer(),
  /** Time until the response was ready, in milliseconds. */
  ms: Type.Number(),
  /** Kind of the request, as in metrics. */
  operation: Type.String(),
  /** Name of the application; absent before one was chosen. */
  application: Type.Optional(Type.String()),
  /** Address of the client; absent when the connection is gone. */
  address: Type.Optional(Type.String()),
  /** Header `X-Request-Id` of an error response. */
  requestId: Type.String(),
  /** Name of the error; absent for a success. */
  code: Type.Optional(Type.String()),
  /** The rule that refused it; absent unless a rule did, as where none applies to the path. */
  rule: Type.Optional(
    Type.Object({
      /** Such as `/rooms/$room/.write`. */
      path: Type.String(),
      /** Source text of the condition, shortened. */
      text: Type.String(),
    }),
  ),
})
export type RecentRequest = Static<typeof recentRequest>

/** A stream that is open over HTTPS. */
const openStream = Type.Object({
  id: Type.String(),
  application: Type.String(),
  path: Type.String(),
  /** Query parameters without credentials; absent without a query. */
  query: Type.Optional(Type.String()),
  /** When it was opened, in milliseconds since 1970. */
  since: Type.Number(),
  address: Type.Optional(Type.String()),
  /** `auth.uid` of its caller. */
  uid: Type.Optional(Type.String()),
  bytesSent: Type.Number(),
  /** Memory of the events that wait because the client reads slowly, in bytes. */
  waitingBytes: Type.Number(),
})

/** Maximum streams or connections of one answer. */
export const MAX_LISTED = 1000

export const openStreams = Type.Object({
  /** Number of all that are open, or of those of the application asked for. */
  total: Type.Integer(),
  /** The ones opened first. */
  streams: Type.Array(openStream, { maxItems: MAX_LISTED }),
})
export type OpenStreams = Static<typeof openStreams>

/** A connection of an SDK. */
const openConnection = Type.Object({
  id: Type.String(),
  application: Type.String(),
  /** What carries it now. */
  carrier: Type.Union([Type.Literal('websocket'), Type.Literal('polling')]),
  /** When it was opened, in milliseconds since 1970. */
  since: Type.Number(),
  address: Type.Optional(Type.String()),
  /** `auth.uid` of its caller. */
  uid: Type.Optional(Type.String()),
  /** Number of its listens, which are among the open streams. */
  listens: Type.Integer(),
  messagesReceived: Type.Number(),
  messagesSent: Type.Number(),
  bytesReceived: Type.Number(),
  bytesSent: Type.Number(),
})

export const openConnections = Type.Object({
  /** Number of all that are open, or of those of the application asked for. */
  total: Type.Integer(),
  /** The ones opened first. */
  connections: Type.Array(openConnection, { maxItems: MAX_LISTED }),
})
export type OpenConnections = Static<typeof openConnections>
