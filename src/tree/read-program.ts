import type { NodeText } from './json/node-text.ts'
import type { Path } from './path.ts'
import type { Leaf } from './value.ts'

/**
 * Request of a program to a tree. A program yields its requests, so that synchronous and asynchronous engines run the
 * same code, on one snapshot or inside one transaction.
 */
export type ReadRequest =
  /**
   * The whole node, `NodeText` or `undefined`. A longer text than `maxLength`, in UTF-16 code units, ends a program that
   * reads a snapshot, with `read-too-big`.
   */
  | { readonly kind: 'node'; readonly path: Path; readonly maxLength?: number }
  /** The leaf, with or without a priority; `undefined` for a node with children and for none. A last `.priority` names the priority. */
  | { readonly kind: 'leaf'; readonly path: Path }
  /** Whether a node exists. */
  | { readonly kind: 'exists'; readonly path: Path }
  /** Number of children; 0 for a leaf and for no node. */
  | { readonly kind: 'count'; readonly path: Path }
  /** Approximate number of rows that deleting the node changes. */
  | { readonly kind: 'size'; readonly path: Path }
  /** Text stored beside the tree under a name, or `undefined`. */
  | { readonly kind: 'setting'; readonly name: string }
  /** Reads nothing: a point at which other work may run. */
  | { readonly kind: 'pause' }

/** Text of the idempotency record with a key, or `undefined`. Only a job may ask. */
interface RecordRequest {
  readonly kind: 'idempotency-record'
  readonly key: string
}

/**
 * Whether it is the turn of a job, as far as the jobs in front of it show. It is asked once these have run; an engine
 * that begins jobs earlier takes it for granted until then. Only a job may ask.
 */
interface TurnRequest {
  readonly kind: 'is-turn'
  readonly isTurn: () => boolean
}

/**
 * Whether a session of this process is stored, or its value at a position is: another process may have taken it over. Only a
 * job may ask.
 */
interface SessionRequest {
  readonly kind: 'session'
  readonly session: string
  readonly position?: number
}

export type ReadAnswer = NodeText | Leaf | boolean | number | undefined

/** A program that reads a tree. */
export type Reads<T> = Generator<ReadRequest, T, ReadAnswer>

/**
 * Authorises a read. It is called in the turn in which the commit that is read is the latest durable one; the logic it
 * returns runs on that commit, and what either throws ends the read. `undefined` when there is nothing to evaluate.
 */
export type AuthorizeRead = () => Reads<unknown> | undefined

/** In place of the authorisation where a read needs none: for the host, for an admin, and for the program itself. */
export const TRUSTED = undefined

/** The authorisation of a read, stated by every caller. */
export type Authorization = AuthorizeRead | typeof TRUSTED

/** Logic of a job: as `Reads`, and it may ask for idempotency records and stored sessions, and whether it is its turn. */
export type JobReads<T> = Generator<ReadRequest | RecordRequest | SessionRequest | TurnRequest, T, ReadAnswer>
