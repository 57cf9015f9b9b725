import type {
  MetricsHour,
  OpenConnections,
  OpenStreams,
  RecentRequest,
  RequestKind,
} from '../operations/monitor-schemas.ts'

/** What a server remembers of its requests. */
export interface MonitorPort {
  hour(): MetricsHour
  /** The last requests of a kind, newest first. @param application only its own */
  requests(kind: RequestKind, application: string | undefined): RecentRequest[]
}

/** The event streams that a server has open over HTTPS. */
export interface StreamsPort {
  /** The ones opened first, and the number of all. @param application only its own */
  list(application: string | undefined, limit: number): Promise<OpenStreams>
  /** Ends a stream. @param application only when it is its own @returns whether there is one */
  end(id: string, application: string | undefined): boolean
}

/** The connections of SDKs that a server has open. */
export interface ConnectionsPort {
  /** The ones opened first, and the number of all. @param application only its own */
  list(application: string | undefined, limit: number): Promise<OpenConnections>
  /** Ends a connection. @param application only when it is its own @returns whether there is one */
  end(id: string, application: string | undefined): boolean
}
