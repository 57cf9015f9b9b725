/** What happens inside, for logs and metrics. Nothing here ever carries a credential or data of the tree. */
export interface Observer {
  /** The store of a file cannot write any more: nothing is acknowledged from now on. */
  storeFailed(file: string, error: unknown): void
  /** Something failed that costs no data: it will be tried again. */
  storeTroubled(file: string, error: unknown): void
  /** A request ended in an error nobody foresaw. */
  requestFailed(method: string, path: string, error: unknown): void
}

export const silentObserver: Observer = {
  storeFailed() {},
  storeTroubled() {},
  requestFailed() {},
}
