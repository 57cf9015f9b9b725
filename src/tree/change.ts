import type { Path } from './path.ts'
import type { Write } from './write.ts'

/** The change that one request makes, as listeners and the change log receive it. */
export interface Change {
  /** `put` writes one path; `patch` writes several paths below one path at once. */
  readonly kind: 'put' | 'patch'
  readonly path: Path
  /** Not overlapping, priorities last. */
  readonly writes: readonly Write[]
  /**
   * Tags of watched nodes below the written ones before the change, which show whether the change affects them. A node
   * without tags counts as changed.
   */
  readonly before?: ReadonlyMap<string, NodeTags> | undefined
  /**
   * Whether it is not known what was written at and below `path`, because another process has written it and the log does
   * not have the data. The only write then stands for all of them.
   */
  readonly isUnknown?: boolean | undefined
  /** Whether every run of its job writes these very objects, so that a store may write large ones ahead of the commit. */
  readonly canStoreAhead?: boolean | undefined
}

/** Tags of one node: of its plain text, and of its stored text. */
export interface NodeTags {
  readonly plain: string
  readonly stored: string
}
