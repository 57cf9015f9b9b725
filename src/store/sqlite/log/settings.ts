import type { TransactionParticipant } from '../commit/participant.ts'
import type { Connection } from '../file/connection.ts'
import { meta } from '../file/schema.ts'
import { metaStatements } from './meta.ts'

/** Texts by name. */
export type SettingTexts = ReadonlyMap<string, string>

const PREFIX = 'setting:'

/** Texts stored beside the tree. They change in the order of the writes, and as these only when a transaction commits. */
export class Settings implements TransactionParticipant {
  readonly #statements
  #committed: SettingTexts
  #current: SettingTexts

  constructor(connection: Connection) {
    this.#statements = metaStatements(connection)
    const rows = connection.orm.select().from(meta).all()
    const own = rows.filter(({ name }) => name.startsWith(PREFIX))
    this.#committed = new Map(own.map(({ name, value }) => [name.slice(PREFIX.length), value]))
    this.#current = this.#committed
  }

  /** As of the open transaction. */
  get current(): SettingTexts {
    return this.#current
  }

  set(texts: readonly (readonly [name: string, text: string])[]): void {
    for (const [name, text] of texts) this.#statements.write.run({ name: PREFIX + name, value: text })
    this.#current = new Map([...this.#current, ...texts])
  }

  flush(): boolean {
    return this.#current !== this.#committed
  }

  committed(): void {
    this.#committed = this.#current
  }

  rollback(): void {
    this.#current = this.#committed
  }
}
