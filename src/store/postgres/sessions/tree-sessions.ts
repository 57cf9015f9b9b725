import type { SessionValue, StoredSession, StoredSessions } from '../../stored-sessions.ts'
import { LogFlag } from '../batch.ts'
import type { SideTables } from '../side-tables.ts'
import { endedOwners, hasUnknownOwner } from './session-owners.ts'

/** Sessions taken over with one batch. */
const MOST_TAKEN = 64
/** Pause before it is looked again whether a process is alive, in milliseconds. */
const LOOK_MS = 250

const OF_OWNERS = `SELECT session FROM session WHERE process = ANY($2::text[]) AND tree = $1::int LIMIT ${MOST_TAKEN}`
const OWNING_PROCESS = 'SELECT process FROM session WHERE tree = $1::int AND session = $2::text'
const TAKE =
  'UPDATE session SET process = $4::text WHERE tree = $1::int AND session = ANY($2::text[]) AND process = ANY($3::text[]) ' +
  'RETURNING session'
const CALLER = 'SELECT caller FROM session WHERE tree = $1::int AND session = $2::text AND process = $3::text'
const VALUES =
  'SELECT position, path, json FROM session_value WHERE tree = $1::int AND session = $2::text ORDER BY position'
const KEPT = 'SELECT session FROM session WHERE tree = $1::int AND session = ANY($2::text[]) AND process = $3::text'

/** What is stored of the sessions of one tree. They change in its batches. */
export class TreeSessions implements StoredSessions {
  readonly #tables: SideTables
  readonly #listeners: (() => void)[] = []

  constructor(tables: SideTables) {
    this.#tables = tables
  }

  async takeLeft(isOpening: boolean): Promise<readonly string[]> {
    const { tree, process } = this.#tables
    while (isOpening && (await hasUnknownOwner(this.#tables, process, tree))) await Bun.sleep(LOOK_MS)
    const ended = await endedOwners(this.#tables, process)
    const owners = isOpening ? [...ended, process] : ended
    if (owners.length === 0) return []
    const found = await this.#tables.query<{ session: string }>(OF_OWNERS, [tree, owners])
    if (found.length === 0) return []
    return await this.#take(
      found.map(({ session }) => session),
      owners,
    )
  }

  async take(session: string): Promise<boolean> {
    const { tree, process } = this.#tables
    const [found] = await this.#tables.query<{ process: string }>(OWNING_PROCESS, [tree, session])
    if (found === undefined || found.process === process) return found !== undefined
    return (await this.#take([session], [found.process])).length > 0
  }

  async read(session: string): Promise<StoredSession | undefined> {
    const { tree, process } = this.#tables
    const [found] = await this.#tables.query<{ caller: string }>(CALLER, [tree, session, process])
    if (found === undefined) return undefined
    return { ...found, values: await this.#tables.query<SessionValue>(VALUES, [tree, session]) }
  }

  async lost(sessions: readonly string[]): Promise<readonly string[]> {
    const { tree, process } = this.#tables
    const rows = await this.#tables.query<{ session: string }>(KEPT, [tree, sessions, process])
    const kept = new Set(rows.map(({ session }) => session))
    return sessions.filter((session) => !kept.has(session))
  }

  onTaken(listener: () => void): void {
    this.#listeners.push(listener)
  }

  /** A batch of another process is applied. @param flags bits of `LogFlag` */
  applied(flags: number): void {
    if ((flags & LogFlag.sessions) !== 0) for (const listener of this.#listeners) listener()
  }

  /** @returns those that still belonged to one of the owners */
  #take(sessions: readonly string[], owners: readonly string[]): Promise<readonly string[]> {
    const { tree, process, run } = this.#tables
    return run(async ({ statements, mark }) => {
      mark(LogFlag.sessions)
      const rows = await statements.query<{ session: string }>(TAKE, [tree, sessions, owners, process])
      return rows.map(({ session }) => session)
    })
  }
}
