import { eq, sql } from 'drizzle-orm'
import type { SessionText } from '../../store.ts'
import type { TransactionParticipant } from '../commit/participant.ts'
import type { Connection } from '../file/connection.ts'
import { sessionText } from '../file/schema.ts'
import { defineStatements } from '../file/statements.ts'

const statements = defineStatements({
  save: ({ orm }) =>
    orm
      .insert(sessionText)
      .values({ session: sql.placeholder('session'), text: sql.placeholder('text') })
      .onConflictDoUpdate({ target: sessionText.session, set: { text: sql`excluded.text` } })
      .prepare(),
  remove: ({ orm }) =>
    orm
      .delete(sessionText)
      .where(eq(sessionText.session, sql.placeholder('session')))
      .prepare(),
})

/** The texts of sessions. They change in the transactions of the writer. */
export class SessionTexts implements TransactionParticipant {
  readonly #statements
  readonly #connection: Connection
  /** Whether the open transaction has changed a text. */
  #hasChanged = false

  constructor(connection: Connection) {
    this.#statements = statements(connection)
    this.#connection = connection
  }

  all(): readonly SessionText[] {
    return this.#connection.orm.select().from(sessionText).all()
  }

  save({ session, text }: SessionText): void {
    if (text === undefined) this.#statements.remove.run({ session })
    else this.#statements.save.run({ session, text })
    this.#hasChanged = true
  }

  flush(): boolean {
    return this.#hasChanged
  }

  committed(): void {
    this.#hasChanged = false
  }

  rollback(): void {
    this.#hasChanged = false
  }
}
