import { DholeError } from '../error.ts'
import { NULL_ETAG } from '../tree/json/etag.ts'
import type { NodeText } from './database.ts'

/** A write whose `ifMatch` did not hold, or a transaction that met too many conflicts. Nothing was written. */
export class ConditionFailedError extends DholeError {
  /** What is there instead; `undefined` for no node. */
  readonly current: NodeText | undefined
  /** Its tag, for another try. */
  readonly etag: string

  /** @param hint says which condition failed */
  constructor(hint: string, current: NodeText | undefined) {
    super('condition-failed', hint)
    this.current = current
    this.etag = current?.etag ?? NULL_ETAG
  }
}
