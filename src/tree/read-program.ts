import type { NodeText } from './json/node-text.ts'
import type { Path } from './path.ts'
import type { Leaf } from './value.ts'

/**
 * What a piece of logic may ask of a tree while it runs. It asks by yielding, so that engines that read synchronously
 * and engines that can only be awaited run the same code, on one snapshot or inside one transaction.
 */
export type ReadRequest =
  /** The whole node, `NodeText` or `undefined`. */
  | { readonly kind: 'node'; readonly path: Path }
  /** The leaf there, with or without a priority; `undefined` for a node with children and for none. A last `.priority` is the priority. */
  | { readonly kind: 'leaf'; readonly path: Path }
  /** Whether there is a node. */
  | { readonly kind: 'exists'; readonly path: Path }
  /** Number of children; 0 for a leaf and for no node. */
  | { readonly kind: 'count'; readonly path: Path }
  /** Number of rows that deleting the node would touch, about. */
  | { readonly kind: 'size'; readonly path: Path }
  /** Text kept beside the tree under a name, or `undefined`. */
  | { readonly kind: 'setting'; readonly name: string }
  /** Nothing: a good moment to let others run. */
  | { readonly kind: 'pause' }

/** Text of the idempotency record with a key, or `undefined`. Only a job may ask. */
interface RecordRequest {
  readonly kind: 'idempotency-record'
  readonly key: string
}

export type ReadAnswer = NodeText | Leaf | boolean | number | undefined

/** Logic that reads as it goes. */
export type Reads<T> = Generator<ReadRequest, T, ReadAnswer>

/**
 * Authorises a read. It is called in the turn in which the commit that is read is the latest durable one; the logic it
 * returns runs on that commit, and what either throws ends the read. `undefined` when there is nothing to evaluate.
 */
export type AuthorizeRead = () => Reads<unknown> | undefined

/** Logic of a job: as `Reads`, and it may ask for idempotency records. */
export type JobReads<T> = Generator<ReadRequest | RecordRequest, T, ReadAnswer>
