import type { SessionChange, SessionValue } from '../../stored-sessions.ts'
import type { CommitPart } from '../batch.ts'
import type { BaseTree } from '../commit/jobs/base-tree.ts'
import { arrayOf } from '../connection/arrays.ts'

/** What one open batch changes of stored sessions. */
export class SessionChanges {
  readonly #base: BaseTree
  readonly #process: string
  readonly #callers = new Map<string, string>()
  /** Values by session and position; `undefined` for a removed one. */
  readonly #values = new Map<string, Map<number, SessionValue | undefined>>()
  readonly #over = new Set<string>()
  #length = 0

  /** @param process id of this process, which sessions belong to */
  constructor(base: BaseTree, process: string) {
    this.#base = base
    this.#process = process
  }

  /** Approximate length of what is written, in UTF-16 code units. */
  get length(): number {
    return this.#length
  }

  /** Whether a session of this process is stored, or its value at a position is. @throws `Missing` */
  has(session: string, position?: number): boolean {
    if (this.#over.has(session)) return false
    if (position === undefined) return this.#callers.has(session) || this.#base.session(session, 0)
    const changed = this.#values.get(session)
    return changed?.has(position) === true ? changed.get(position) !== undefined : this.#base.session(session, position)
  }

  /** A value that was added before, by a commit whose answer was lost, stays as it is. */
  take({ session, caller, added = [], removed = [], isOver = false }: SessionChange): void {
    if (isOver) {
      this.#over.add(session)
      this.#callers.delete(session)
      this.#values.delete(session)
      return
    }
    if (caller !== undefined) {
      this.#callers.set(session, caller)
      this.#length += caller.length
    }
    if (added.length + removed.length === 0) return
    const values = this.#values.get(session) ?? new Map<number, SessionValue | undefined>()
    this.#values.set(session, values)
    for (const position of removed) values.set(position, undefined)
    for (const value of added) {
      values.set(value.position, value)
      this.#length += value.path.length + value.json.length
    }
  }

  /** The parts of a commit. */
  parts(): readonly CommitPart[] {
    const removed: (readonly [session: string, position: number])[] = []
    const added: (readonly [session: string, value: SessionValue])[] = []
    for (const [session, values] of this.#values) {
      for (const [position, value] of values) {
        if (value === undefined) removed.push([session, position])
        else added.push([session, value])
      }
    }
    return [...this.#sessionParts(), ...removedValues(removed), ...addedValues(added)]
  }

  *#sessionParts(): Generator<CommitPart> {
    const over = arrayOf([...this.#over])
    if (this.#over.size > 0) {
      yield {
        name: 'session_value_over',
        sql: ({ tree, guard, add }) =>
          `DELETE FROM session_value WHERE tree = ${tree} AND session = ANY(${add(over, 'text[]')}) AND ${guard}`,
      }
      yield {
        name: 'session_over',
        sql: ({ tree, guard, add }) =>
          `DELETE FROM session WHERE tree = ${tree} AND session = ANY(${add(over, 'text[]')}) AND ${guard}`,
      }
    }
    if (this.#callers.size === 0) return
    const [sessions, callers] = [arrayOf([...this.#callers.keys()]), arrayOf([...this.#callers.values()])]
    yield {
      name: 'session_in',
      sql: ({ tree, guard, add }) =>
        `INSERT INTO session (tree, session, process, caller) SELECT ${tree}, s.session, ${add(this.#process, 'text')}, s.caller ` +
        `FROM unnest(${add(sessions, 'text[]')}, ${add(callers, 'text[]')}) AS s(session, caller) WHERE ${guard} ` +
        'ON CONFLICT (tree, session) DO UPDATE SET caller = excluded.caller',
    }
  }
}

function removedValues(values: readonly (readonly [session: string, position: number])[]): readonly CommitPart[] {
  if (values.length === 0) return []
  return [
    {
      name: 'session_value_out',
      sql: ({ tree, guard, add }) =>
        `DELETE FROM session_value v USING unnest(${add(arrayOf(values.map(([session]) => session)), 'text[]')}, ` +
        `${add(arrayOf(values.map(([, position]) => position)), 'int[]')}) AS s(session, position) ` +
        `WHERE v.tree = ${tree} AND v.session = s.session AND v.position = s.position AND ${guard}`,
    },
  ]
}

function addedValues(values: readonly (readonly [session: string, value: SessionValue])[]): readonly CommitPart[] {
  if (values.length === 0) return []
  const column = (of: (value: SessionValue) => string | number) => arrayOf(values.map(([, value]) => of(value)))
  const columns = [
    [arrayOf(values.map(([session]) => session)), 'text[]'],
    [column(({ position }) => position), 'int[]'],
    [column(({ path }) => path), 'text[]'],
    [column(({ json }) => json), 'text[]'],
  ] as const
  return [
    {
      name: 'session_value_in',
      sql: ({ tree, guard, add }) =>
        `INSERT INTO session_value (tree, session, position, path, json) SELECT ${tree}, s.* ` +
        `FROM unnest(${columns.map(([text, type]) => add(text, type)).join(', ')}) AS s(session, position, path, json) ` +
        `WHERE ${guard} ON CONFLICT DO NOTHING`,
    },
  ]
}
