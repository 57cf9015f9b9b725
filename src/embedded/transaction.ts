import { NULL_ETAG } from '../tree/json/etag.ts'
import { ConditionFailedError } from './condition-failed.ts'
import type { NodeText, TransactionOptions, TransactionResult, Written } from './database.ts'

const DEFAULT_TRIES = 25

/** Computes the new value from the current one; `undefined` writes nothing. */
export type Update<T> = (current: T | null) => T | null | undefined | Promise<T | null | undefined>

/** The node of a transaction. */
export interface TransactedNode {
  readonly read: () => Promise<NodeText | undefined>
  /** @throws ConditionFailedError unless the node has that tag */
  readonly write: (json: unknown, ifMatch: string) => Promise<Written>
}

/**
 * Reads, updates and writes a node, and repeats that when the node has changed meanwhile.
 * @throws ConditionFailedError after the last attempt, TypeError for a wrong number of attempts
 */
export async function transact<T>(
  { read, write }: TransactedNode,
  update: Update<T>,
  { maxTries = DEFAULT_TRIES, export: withPriorities = false }: TransactionOptions,
): Promise<TransactionResult<T>> {
  if (!Number.isInteger(maxTries) || maxTries < 1) throw new TypeError('maxTries: expected a whole number from 1')
  let node = await read()
  for (let tries = 1; ; tries++) {
    const next = await update(parsedValue<T>(node, withPriorities))
    // `update` may have changed its argument, so the value is parsed again.
    if (next === undefined) return { committed: false, value: parsedValue<T>(node, withPriorities) }
    try {
      const { json } = await write(next, node?.etag ?? NULL_ETAG)
      return { committed: true, value: json as T | null }
    } catch (error) {
      if (!(error instanceof ConditionFailedError) || tries >= maxTries) throw error
      node = error.current
    }
  }
}

function parsedValue<T>(node: NodeText | undefined, withPriorities: boolean): T | null {
  if (node === undefined) return null
  return JSON.parse(withPriorities ? node.export : node.plain) as T
}
