import { PushIds } from '../../../tree/push-id.ts'
import type { Connection } from '../file/connection.ts'
import { metaStatements, readMeta } from '../log/meta.ts'
import type { TransactionParticipant } from './participant.ts'

const PUSH_TIME = 'push_time'

/**
 * Generates keys, each greater than all earlier ones of the tree. The greatest time of a key is stored with its
 * transaction, so that keys grow across restarts even if the clock was set back.
 */
export class GeneratedKeys implements TransactionParticipant {
  readonly #statements
  readonly #keys: PushIds
  /** The time that the last committed transaction stored. */
  #savedTime: number

  constructor(connection: Connection) {
    this.#statements = metaStatements(connection)
    this.#savedTime = Number(readMeta(connection, PUSH_TIME) ?? 0)
    this.#keys = new PushIds(this.#savedTime)
  }

  next(now: number): string {
    return this.#keys.next(now)
  }

  flush(): boolean {
    if (this.#keys.lastTime === this.#savedTime) return false
    this.#statements.write.run({ name: PUSH_TIME, value: String(this.#keys.lastTime) })
    return true
  }

  committed(): void {
    this.#savedTime = this.#keys.lastTime
  }
}
