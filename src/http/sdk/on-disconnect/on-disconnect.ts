import { ANONYMOUS, type Caller } from '../../../auth/caller.ts'
import type { Access } from '../../../database/access/access.ts'
import type { Database } from '../../../database/database.ts'
import { ValueGone } from '../../../database/writes/write-request.ts'
import { DholeError } from '../../../error.ts'
import { type Path, parsePath } from '../../../tree/path.ts'
import { KeptValues, type LeftWrite } from './kept-values.ts'
import { writeSession } from './left-sessions.ts'

/**
 * What the client of one session wants written when it has ended. It is stored before a request is answered, so that another
 * process, or a later one, writes it when this one is killed.
 * @see docs/reference/sdk-protocol.md#on-disconnect
 */
export class OnDisconnect {
  readonly #database: Database
  readonly #session: string
  readonly #values = new KeptValues()
  /** Who it is written for: a user whose credential has expired, too. */
  #caller: Caller = ANONYMOUS
  /** Whether something is stored, or may be. */
  #isStored = false
  /** Whether a commit has stored something, and none has removed it. */
  #isKnown = false
  #isCallerStored = false
  /** Settles when the last change is stored. */
  #storing: Promise<void> = Promise.resolve()

  constructor(database: Database, session: string) {
    this.#database = database
    this.#session = session
  }

  /** About how long the values are as JSON, in UTF-16 code units. */
  get length(): number {
    return this.#values.length
  }

  /** Whether something is stored of the session. */
  get isStored(): boolean {
    return this.#isStored
  }

  /** Keeps a value, or the members of one. @throws what the rules refuse now; `quota`, `unavailable` */
  async keep(path: Path, data: unknown, kind: 'set' | 'merge', access: Access): Promise<void> {
    if (kind === 'set') await this.#database.put(path, data, { ...access, isTrial: true })
    else await this.#database.patch(path, data, { ...access, isTrial: true })
    const writes = kind === 'set' ? [{ path, json: data }] : membersOf(path, data)
    this.#values.check(writes)
    for (const write of writes) this.#values.set(write.path, write.json)
    await this.#store().catch(asUnavailable)
  }

  /** Forgets what is kept at and below a path. @throws `unavailable` */
  async forget(path: Path): Promise<void> {
    if (this.#values.size === 0) return
    this.#values.forget(path)
    await this.#store().catch(asUnavailable)
  }

  /** It is written for another caller. @throws `unavailable` */
  async changeCaller(caller: Caller): Promise<void> {
    if (caller === this.#caller) return
    this.#caller = caller
    this.#isCallerStored = false
    if (this.#isStored) await this.#store().catch(asUnavailable)
  }

  /** The session has ended: writes what is kept. What cannot be written now is tried again. */
  async end(): Promise<void> {
    // A credential that has just been revoked may be being taken back.
    await this.#storing.catch(() => {})
    if (!this.#isStored) return
    const write = async () => {
      try {
        if (!this.#isCallerStored) await this.#store()
      } catch (error) {
        if (error instanceof ValueGone) return
        throw error
      }
      await writeSession(this.#database, this.#session)
    }
    await write().catch((error) => {
      this.#database.sessions.later(write)
      throw error
    })
  }

  /** Stores what has changed. @throws ValueGone when the session belongs to another process; `unavailable` */
  #store(): Promise<void> {
    this.#storing = this.#commit()
    return this.#storing
  }

  async #commit(): Promise<void> {
    const change = this.#values.takeChange()
    const { kind, auth } = this.#caller
    const caller = this.#isCallerStored && this.#isKnown ? undefined : JSON.stringify({ kind, auth })
    const isOver = this.#values.size === 0
    const [isNew, session] = [!this.#isKnown, this.#session]
    this.#isStored = true
    this.#isCallerStored = true
    try {
      const added = change.added.map(({ position, path, json }) => {
        return { position, path: JSON.stringify(path), json: JSON.stringify(json) }
      })
      await this.#database.sessions.store({ session, caller, added, removed: change.removed, isOver }, isNew)
      this.#isKnown = !isOver
      this.#isStored = !isOver
    } catch (error) {
      this.#values.giveBack(change)
      this.#isCallerStored = false
      // Whether it was removed is not known.
      if (isOver) this.#isKnown = false
      throw error
    }
  }
}

function asUnavailable(error: unknown): never {
  throw error instanceof ValueGone ? new DholeError('unavailable') : error
}

function membersOf(path: Path, data: unknown): readonly LeftWrite[] {
  return Object.entries(data ?? {}).map(([below, json]) => {
    return { path: [...path, ...parsePath(below, 'bad-key')], json }
  })
}
