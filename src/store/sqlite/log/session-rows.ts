import { and, asc, eq, sql } from 'drizzle-orm'
import type { SessionChange, StoredSession, StoredSessions } from '../../stored-sessions.ts'
import type { TransactionParticipant } from '../commit/participant.ts'
import type { Connection } from '../file/connection.ts'
import { session, sessionValue } from '../file/schema.ts'
import { defineStatements } from '../file/statements.ts'

const ofSession = eq(sessionValue.session, sql.placeholder('session'))
const ofPosition = and(ofSession, eq(sessionValue.position, sql.placeholder('position')))

const statements = defineStatements({
  all: ({ orm }) => orm.select({ id: session.session }).from(session).prepare(),
  caller: ({ orm }) =>
    orm
      .select({ caller: session.caller })
      .from(session)
      .where(eq(session.session, sql.placeholder('session')))
      .prepare(),
  values: ({ orm }) =>
    orm
      .select({ position: sessionValue.position, path: sessionValue.path, json: sessionValue.json })
      .from(sessionValue)
      .where(ofSession)
      .orderBy(asc(sessionValue.position))
      .prepare(),
  hasValue: ({ orm }) => orm.select({ one: sql`1` }).from(sessionValue).where(ofPosition).prepare(),
  save: ({ orm }) =>
    orm
      .insert(session)
      .values({ session: sql.placeholder('session'), caller: sql.placeholder('caller') })
      .onConflictDoUpdate({ target: session.session, set: { caller: sql`excluded.caller` } })
      .prepare(),
  remove: ({ orm }) =>
    orm
      .delete(session)
      .where(eq(session.session, sql.placeholder('session')))
      .prepare(),
  addValue: ({ orm }) =>
    orm
      .insert(sessionValue)
      .values({
        session: sql.placeholder('session'),
        position: sql.placeholder('position'),
        path: sql.placeholder('path'),
        json: sql.placeholder('json'),
      })
      .onConflictDoNothing()
      .prepare(),
  removeValue: ({ orm }) => orm.delete(sessionValue).where(ofPosition).prepare(),
  removeValues: ({ orm }) => orm.delete(sessionValue).where(ofSession).prepare(),
})

/** What is stored of sessions. It changes in the transactions of the writer. All sessions are of this process. */
export class SessionRows implements StoredSessions, TransactionParticipant {
  readonly #statements
  /** Sessions of a former process. */
  #left: readonly string[]
  /** Whether the open transaction has changed a row. */
  #hasChanged = false

  constructor(connection: Connection) {
    this.#statements = statements(connection)
    this.#left = this.#statements.all.all().map(({ id }) => id)
  }

  takeLeft(): readonly string[] {
    const left = this.#left
    this.#left = []
    return left
  }

  /** A session that has ended, and could not be written then. */
  take(id: string): boolean {
    return this.has(id)
  }

  read(id: string): StoredSession | undefined {
    const caller = this.#statements.caller.get({ session: id })?.caller
    return caller === undefined ? undefined : { caller, values: this.#statements.values.all({ session: id }) }
  }

  lost(): readonly string[] {
    return []
  }

  onTaken(): void {
    // There is no other process.
  }

  /** Whether a session is stored, or its value at a position is. */
  has(id: string, position?: number): boolean {
    if (position === undefined) return this.#statements.caller.get({ session: id }) !== undefined
    return this.#statements.hasValue.get({ session: id, position }) !== undefined
  }

  change({ session: id, caller, added = [], removed = [], isOver = false }: SessionChange): void {
    this.#hasChanged = true
    if (isOver) {
      this.#statements.removeValues.run({ session: id })
      this.#statements.remove.run({ session: id })
      return
    }
    if (caller !== undefined) this.#statements.save.run({ session: id, caller })
    for (const position of removed) this.#statements.removeValue.run({ session: id, position })
    for (const value of added) this.#statements.addValue.run({ session: id, ...value })
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
