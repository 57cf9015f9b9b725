import { okText } from './ok-text.ts'
import type { ReceiveTime } from './receive-time.ts'
import { recordText, type StatusRecord } from './record-text.ts'

/** Changes with everything but the time zone that changes the text of a batch: stored texts of before are then not used. */
const REVISION = 1

/** Writes the answer about a batch. */
export class BatchFormat {
  /** Two formats of the same version write the same. */
  readonly version: string
  readonly #time: ReceiveTime

  constructor(time: ReceiveTime) {
    this.version = `${REVISION} ${time.version}`
    this.#time = time
  }

  record(record: StatusRecord): string {
    return recordText(record, this.#time)
  }

  /** @param records in the order of submission */
  batch(records: readonly string[]): string {
    return okText(`[${records.join(',')}]`)
  }
}
