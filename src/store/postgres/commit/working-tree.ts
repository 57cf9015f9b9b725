import type { SortValue } from '../../../tree/order.ts'
import type { Path } from '../../../tree/path.ts'
import type { Value } from '../../../tree/value.ts'
import type { Write } from '../../../tree/write.ts'
import type { ChildRow, Interior, Slot } from '../../rows/slot.ts'
import type { PathSlot } from '../../rows/write-plan.ts'
import type { CommitPart } from '../batch.ts'

/** What is not known yet, and must be read from the database. */
export type Unknown =
  /** The slots along keys below an interior node. Keys are encoded by `sortKey`. */
  | { readonly kind: 'slots'; readonly parent: number; readonly keys: readonly string[] }
  /** The child before or after a key. */
  | { readonly kind: 'neighbor'; readonly list: number; readonly key: string; readonly side: 'before' | 'after' }
  /** The definitions of the indexes of a list. */
  | { readonly kind: 'indexes'; readonly list: number }
  | { readonly kind: 'record'; readonly key: string }
  /** Whether a session of this process is stored, or its value at a position is; position 0: the session itself. */
  | { readonly kind: 'session'; readonly session: string; readonly position: number }

/** Thrown by synchronous code that asks for something unknown. The same code runs again when it is known. */
export class Missing extends Error {
  readonly unknown: Unknown

  constructor(unknown: Unknown) {
    super('not known yet')
    this.unknown = unknown
  }
}

/** The tree as of the applied batch with what the open batch has changed so far. Every method throws `Missing`. */
export interface WorkingTree {
  /** @param key encoded by `sortKey` */
  slot(parent: number, key: string): Slot | undefined
  interior(id: number): Interior
  /** The sort value at a path below a child. */
  sortValueBelow(child: Pick<ChildRow, 'value' | 'id'>, path: Path): SortValue
  /** The child of a list before a key, or after it. */
  neighbor(list: number, key: string, side: 'before' | 'after'): ChildRow | undefined
}

/** Takes what the last slot of a write's path holds after it: its value where it is known, and its text if it is one slot. */
type AfterWrite = (value: Value | undefined, text: string | undefined) => void

/** The indexes in one open batch. Methods that read throw `Missing`. */
export interface BatchIndexes {
  /** Whether a list has an index. */
  hasIndex(list: number): boolean
  /** Call it before a write. @returns a function to call after it */
  beforeWrite(write: Write, slotPath: readonly PathSlot[]): AfterWrite | undefined
  /** A list that the batch has made: it has no index before `inherit`. */
  knowNew(list: number): void
  /** A new list replaces another one. Call it before `dropAll` of the old one. */
  inherit(from: number, to: number): void
  /** The list is not part of the tree any more. */
  dropAll(list: number): void
  /** A point to go back to. */
  savepoint(): unknown
  /** Takes back what was changed since a savepoint. */
  rollBackTo(savepoint: unknown): void
  /** What the batch writes. */
  parts(): readonly CommitPart[]
  /** Approximate length of what was written, in UTF-16 code units. */
  readonly length: number
  /** Whether definitions have changed. */
  readonly hasChangedDefinitions: boolean
}

/** Opens the indexes of a batch. @param takeId takes an id of the tree @param now milliseconds since 1970 */
export type OpenIndexes = (tree: WorkingTree, takeId: () => number, now: number) => BatchIndexes
