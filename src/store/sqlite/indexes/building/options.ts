import type { OpenEntrySource } from './entry-source.ts'

/** Callbacks about builds. They also run for a step that is rolled back later. */
interface BuildEvents {
  onBegun(): void
  /** @param rows children indexed by this process */
  onBuilt(rows: number, milliseconds: number): void
  /** A build has ended without an index. */
  onFailed(error: unknown): void
}

/** What builds need to know of the store. */
export interface BuildOptions extends BuildEvents {
  readonly openSource: OpenEntrySource
  /** Longest list that is indexed in one transaction, in children. Default 2048. */
  readonly shortBuild?: number
  /** Entries inserted, and children mended, in one transaction. Default 512. */
  readonly stepEntries?: number
  /** Number of the last commit, in the open transaction too. */
  lastSeq(): number
}
