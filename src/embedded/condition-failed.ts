import { DholeError } from '../error.ts'
import { NULL_ETAG } from '../tree/json/etag.ts'
import type { NodeText } from './database.ts'

/** A write whose `ifMatch` did not match, or a transaction with too many conflicts. Nothing was written. */
export class ConditionFailedError extends DholeError {
  /** The current node; `undefined` for no node. */
  readonly current: NodeText | undefined
  /** Tag of the current node, for another attempt. */
  readonly etag: string

  /** @param hint text about the failed condition */
  constructor(hint: string, current: NodeText | undefined) {
    super('condition-failed', hint)
    this.current = current
    this.etag = current?.etag ?? NULL_ETAG
  }
}
