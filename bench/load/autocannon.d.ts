/** The part of autocannon 9 that the benchmarks use; it ships no types of its own. */
declare module 'autocannon' {
  interface Shot {
    readonly method: string
    readonly path: string
    readonly headers?: Readonly<Record<string, string>>
    readonly body?: string
    /** Makes what is sent from this, each time it is sent. */
    readonly setupRequest?: (request: Shot) => Shot
  }
  /** One connection. */
  interface Client {
    setRequests(requests: readonly Shot[]): void
  }
  interface LoadOptions {
    readonly url: string
    readonly connections: number
    readonly pipelining: number
    /** Seconds. What is under way at its end is not waited for. */
    readonly duration?: number
    /** Requests to send in place of a duration; all of them are waited for. At least one for each connection. */
    readonly amount?: number
    /** Milliseconds between two samples; the load ends at a sample. Default 1000. */
    readonly sampleInt: number
    /** Every connection sends these in order, over and over. */
    readonly requests: readonly Shot[]
    /** Called with every connection before it sends anything. */
    readonly setupClient?: (client: Client) => void
  }
  interface LoadResult {
    readonly '2xx': number
    readonly '4xx': number
    readonly non2xx: number
    readonly errors: number
    /** Seconds it really took. */
    readonly duration: number
  }
  // biome-ignore lint/style/noDefaultExport: that is how the package exports its one function
  export default function autocannon(options: LoadOptions): Promise<LoadResult>
}
