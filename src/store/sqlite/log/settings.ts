import { sql } from 'drizzle-orm'
import type { Connection } from '../file/connection.ts'
import { meta } from '../file/schema.ts'

/** Texts by name. */
export type SettingTexts = ReadonlyMap<string, string>

const PREFIX = 'setting:'

/** Texts kept beside the tree. They change in the order of the writes, and like these only when a transaction commits. */
export class Settings {
  readonly #save
  #committed: SettingTexts
  #current: SettingTexts

  constructor({ orm }: Connection) {
    this.#save = orm
      .insert(meta)
      .values({ name: sql.placeholder('name'), value: sql.placeholder('text') })
      .onConflictDoUpdate({ target: meta.name, set: { value: sql`excluded.value` } })
      .prepare()
    const rows = orm.select().from(meta).all()
    const own = rows.filter(({ name }) => name.startsWith(PREFIX))
    this.#committed = new Map(own.map(({ name, value }) => [name.slice(PREFIX.length), value]))
    this.#current = this.#committed
  }

  /** As the open transaction has them. */
  get current(): SettingTexts {
    return this.#current
  }

  set(texts: readonly (readonly [name: string, text: string])[]): void {
    for (const [name, text] of texts) this.#save.run({ name: PREFIX + name, text })
    this.#current = new Map([...this.#current, ...texts])
  }

  /** The transaction has committed. */
  keep(): void {
    this.#committed = this.#current
  }

  /** The transaction was rolled back. */
  forget(): void {
    this.#current = this.#committed
  }
}
