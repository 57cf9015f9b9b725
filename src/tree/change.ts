import type { Path } from './path.ts'
import type { Write } from './write.ts'

/** What one request changes, as listeners and the change log hear of it. */
export interface Change {
  /** `put`: one place; `patch`: several below one path, at once. */
  readonly kind: 'put' | 'patch'
  readonly path: Path
  /** Not overlapping, priorities last. */
  readonly writes: readonly Write[]
  /**
   * Tags of watched nodes below the written ones, as they were before: what tells whether the change reaches them.
   * Those that are missing are taken to have changed.
   */
  readonly before?: ReadonlyMap<string, NodeTags> | undefined
  /** Whether every run of its job writes these very objects, so that a store may write large ones ahead of the commit. */
  readonly canStoreAhead?: boolean | undefined
}

/** Tags of one node: of what GET answers, and of everything. */
export interface NodeTags {
  readonly plain: string
  readonly stored: string
}
